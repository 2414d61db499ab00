"""Data providers before PyDataProvider2."""
raise ImportError("paddle.trainer.PyDataProviderWrapper is not supported; write the provider with "
                  "paddle.trainer.PyDataProvider2 (docs/guide-v1.md)")
