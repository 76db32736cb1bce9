"""Tables, figures and pages: reported beside reproduced."""
