from paddle.trainer_config_helpers import *

define_py_data_sources2(train_list="train.list", test_list=None, module="dataprovider", obj="process")
settings(batch_size=4, learning_rate=0.01)
x = data_layer(name="x", size=3)
y = data_layer(name="y", size=1)
outputs(regression_cost(input=fc_layer(input=x, size=1, act=LinearActivation()), label=y))
