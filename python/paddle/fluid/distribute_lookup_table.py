"""Where a program looks rows up in its distributed table."""

__all__ = ["find_distributed_lookup_table", "find_distributed_lookup_table_inputs",
           "find_distributed_lookup_table_outputs"]

LOOKUP_TABLE_TYPE = "lookup_table"


def _look_ups(program, slot, table_name):
    block = program.global_block()
    return [block.var(name) for op in block.ops
            if op.type == LOOKUP_TABLE_TYPE and op.input("W")[0] == table_name
            for name in (op.input(slot) if slot == "Ids" else op.output(slot))]


def find_distributed_lookup_table_inputs(program, table_name):
    """The variables of ids that are looked up in the table."""
    return _look_ups(program, "Ids", table_name)


def find_distributed_lookup_table_outputs(program, table_name):
    """The variables of rows that come from the table."""
    return _look_ups(program, "Out", table_name)


def find_distributed_lookup_table(program):
    """The name of the one table that is distributed, or None."""
    tables = {op.input("W")[0] for op in program.global_block().ops
              if op.type == LOOKUP_TABLE_TYPE and op.attr("is_distributed")}
    if len(tables) > 1:
        raise RuntimeError("all distributed lookup_table_ops should have only one table, and "
                           "there are %s" % ", ".join(sorted(tables)))
    return tables.pop() if tables else None
