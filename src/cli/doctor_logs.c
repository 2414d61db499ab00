#include "cli/doctor.h"
int rg_doctor_logs(const char *folder, bool json)
{
    (void)folder;
    (void)json;
    return 2;
}
