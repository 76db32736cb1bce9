"""Tables, figures and pages that show reported numbers beside reproduced ones."""
