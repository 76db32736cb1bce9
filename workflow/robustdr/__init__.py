"""robustdr: which published claims about the robustness of dense retrieval hold."""

__version__ = "0.1.0"
