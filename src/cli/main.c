/* main.c - the `paddle` command. */
#include <stdio.h>
int main(void)
{
    (void)puts(RG_VERSION);
    return 0;
}
