"""ProgramDesc and what it is made of, as classes of the package protobuf, which is needed for this
module alone: program.desc.serialize_to_string() are the bytes of a ProgramDesc, and
Program.parse_from_string() takes them. The core is built with src/tensor/framework.proto."""
try:
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
    from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
except ImportError as e:
    raise ImportError("paddle.fluid.proto.framework_pb2 needs the package protobuf (pip install "
                      "protobuf): %s" % e) from e

# name, then ! required, ? optional or * repeated, then type=number and :default.
_MESSAGES = """
Version | version?int64=1:0
OpDesc.Attr | name!string=1 type!AttrType=2 i?int32=3 f?float=4 s?string=5 ints*int32=6
    floats*float=7 strings*string=8 b?bool=10 bools*bool=11 block_idx?int32=12 l?int64=13 blocks_idx*int32=14
    longs*int64=15
OpDesc.Var | parameter!string=1 arguments*string=2
OpDesc | inputs*OpDesc.Var=1 outputs*OpDesc.Var=2 type!string=3 attrs*OpDesc.Attr=4
    is_target?bool=5:false
OpProto.Var | name!string=1 comment!string=2 duplicable?bool=3:false intermediate?bool=4:false
    dispensable?bool=5:false
OpProto.Attr | name!string=1 type!AttrType=2 comment!string=3 generated?bool=4:false
OpProto | type!string=1 inputs*OpProto.Var=2 outputs*OpProto.Var=3 attrs*OpProto.Attr=4
    comment!string=5
VarType.TensorDesc | data_type!VarType.Type=1 dims*int64=2
VarType.LoDTensorDesc | tensor!VarType.TensorDesc=1 lod_level?int32=2:0
VarType.LoDTensorArrayDesc | tensor!VarType.TensorDesc=1 lod_level?int32=2:0
VarType.ReaderDesc | lod_tensor*VarType.LoDTensorDesc=1
VarType.Tuple | element_type*VarType.Type=1
VarType | type!VarType.Type=1 selected_rows?VarType.TensorDesc=2 lod_tensor?VarType.LoDTensorDesc=3
    tensor_array?VarType.LoDTensorArrayDesc=4 reader?VarType.ReaderDesc=5 tuple?VarType.Tuple=7
VarDesc | name!string=1 type!VarType=2 persistable?bool=3:false need_check_feed?bool=4:false
BlockDesc | idx!int32=1 parent_idx!int32=2 vars*VarDesc=3 ops*OpDesc=4 forward_block_idx?int32=5:-1
CompatibleInfo | version!string=1 type!CompatibleInfo.Type=2
OpCompatibleMap.OpCompatiblePair | op_name!string=1 compatible_info!CompatibleInfo=2
OpCompatibleMap | pair*OpCompatibleMap.OpCompatiblePair=1 default_required_version?string=2
ProgramDesc | blocks*BlockDesc=1 op_compatible_map?OpCompatibleMap=3 version?Version=4
"""
_ENUMS = {
    "AttrType": "INT FLOAT STRING INTS FLOATS STRINGS BOOLEAN BOOLEANS BLOCK LONG BLOCKS LONGS",
    "VarType.Type": "BOOL INT16 INT32 INT64 FP16 FP32 FP64 LOD_TENSOR SELECTED_ROWS FEED_MINIBATCH "
                    "FETCH_LIST STEP_SCOPES LOD_RANK_TABLE LOD_TENSOR_ARRAY PLACE_LIST READER - "
                    "RAW TUPLE SIZE_T UINT8 INT8",
    "CompatibleInfo.Type": "COMPATIBLE DEFINITELY_NOT POSSIBLE BUG_FIX PRECISION_CHANGE",
}
_PACKAGE = "paddle.framework.proto"
_Field = descriptor_pb2.FieldDescriptorProto
_LABELS = {"!": _Field.LABEL_REQUIRED, "?": _Field.LABEL_OPTIONAL, "*": _Field.LABEL_REPEATED}


def _add_field(message, text, messages):
    mark = next(c for c in text if c in _LABELS)
    name, rest = text.split(mark, 1)
    kind, number = rest.split("=")
    number, _, default = number.partition(":")
    field = message.field.add(name=name, number=int(number), label=_LABELS[mark])
    if kind in messages or kind in _ENUMS:
        field.type = _Field.TYPE_MESSAGE if kind in messages else _Field.TYPE_ENUM
        field.type_name = ".%s.%s" % (_PACKAGE, kind)
    else:
        field.type = getattr(_Field, "TYPE_" + kind.upper())
    if default:
        field.default_value = default


def _file():
    """The description of all of them."""
    file = descriptor_pb2.FileDescriptorProto(name="framework.proto", package=_PACKAGE,
                                              syntax="proto2")
    lines = dict(line.split(" | ") for line in
                 _MESSAGES.replace("\n    ", " ").strip().split("\n"))
    made = {}
    for name in sorted(lines, key=lambda n: (n.count("."), list(lines).index(n))):
        outer, _, inner = name.rpartition(".")
        made[name] = (made[outer].nested_type if outer else file.message_type).add(name=inner)
    for name, values in _ENUMS.items():
        outer, _, inner = name.rpartition(".")
        enum = (made[outer] if outer else file).enum_type.add(name=inner)
        for number, value in enumerate(values.split()):
            if value != "-":
                enum.value.add(name=value, number=number)
    for name, fields in lines.items():
        for text in fields.split():
            _add_field(made[name], text, lines)
    return file


def _message_class(pool, descriptor):
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(descriptor)
    return message_factory.MessageFactory(pool).GetPrototype(descriptor)  # before 4.22


def _define():
    pool = descriptor_pool.DescriptorPool()  # one of our own: others may have these names too
    pool.AddSerializedFile(_file().SerializeToString())
    file = pool.FindFileByName("framework.proto")
    out = {name: _message_class(pool, d) for name, d in file.message_types_by_name.items()}
    attr_type = file.enum_types_by_name["AttrType"]
    out["AttrType"] = EnumTypeWrapper(attr_type)
    out.update((value.name, value.number) for value in attr_type.values)
    out["DESCRIPTOR"] = file
    return out


globals().update(_define())
