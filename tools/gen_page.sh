#!/bin/sh
# Print page_html.c: the page of a job as one array of bytes. A line "INLINE FILE" of page.html
# stands for that file. Usage: gen_page.sh FOLDER
set -eu
cd "$1"
echo '/* Made by tools/gen_page.sh; not edited, not committed. */'
echo '#include "watch/page_html.h"'
echo 'const unsigned char rg_page_html[] = {'
while IFS= read -r line; do
    case $line in
        *"INLINE "*) cat "${line##*INLINE }" ;;
        *) printf '%s\n' "$line" ;;
    esac
done < page.html | od -An -v -tu1 | sed 's/ *\([0-9][0-9]*\)/\1,/g'
echo '};'
echo 'const size_t rg_page_html_bytes = sizeof rg_page_html;'
