"""Claims: sentences of a paper as tests on printed and on measured numbers."""
