/* fuzz_tensor.c - any bytes as a tensor file: the first byte says which kind. */
#include "base/cursor.h"
#include "tensor/tensor_io.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    rg_value *value;
    if (n < 1 || rg_value_new(&value) != RG_OK)
        return 0;
    rg_cursor cursor = {bytes + 1, n - 1};
    rg_source source = rg_source_memory(&cursor);
    if (bytes[0] % 3 == 0)
        (void)rg_tensor_read(&source, value);
    else if (bytes[0] % 3 == 1)
        (void)rg_rows_read(&source, value);
    else
        (void)rg_tensor_read_slice(&source, value, bytes[0], &RG_SHAPE(2, 2));
    rg_value_release(value);
    return 0;
}
