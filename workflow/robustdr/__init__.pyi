from robustdr.own.api import evaluate as evaluate

__version__: str
