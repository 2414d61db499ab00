"""Numbers of tables."""

__all__ = ["TableMeta"]


class TableMeta(object):
    """A table's number; alloc_new_table(-1) takes the next that is free."""
    TableId = 1

    def __init__(self, table_id):
        self._table_id = table_id

    @staticmethod
    def alloc_new_table(table_id):
        if table_id < 0:
            table_id = TableMeta.TableId
        TableMeta.TableId = max(TableMeta.TableId, table_id + 1)
        return TableMeta(table_id)
