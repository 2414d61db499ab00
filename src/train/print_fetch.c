/* print_fetch.c - fetched variables as lines. */
#include "train/print_fetch_priv.h"

#include "base/buf.h"
#include "sys/log.h"
#include "tensor/value_text.h"

#include <string.h>

rg_status rg_print_fetch(const char *info, const char *name, const rg_value *value)
{
    rg_buf text;
    rg_buf_init(&text, 64 << 20);
    rg_buf_printf(&text, "%s\t%s\t\t", info, name);
    rg_value_write_text(&text, value);
    rg_buf_text(&text, "\t\n");
    rg_say(rg_buf_cstr(&text), strlen(rg_buf_cstr(&text)));
    rg_buf_fini(&text);
    return RG_OK;
}
