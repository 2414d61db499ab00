/* page_html.h - the page itself: src/watch/page/, put into one file by tools/gen_page.sh. */
#ifndef RG_WATCH_PAGE_HTML_H
#define RG_WATCH_PAGE_HTML_H

#include <stddef.h>

extern const unsigned char rg_page_html[];
extern const size_t rg_page_html_bytes;

#endif
