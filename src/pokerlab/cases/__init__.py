"""Players that imitate: case bases learnt from an expert's hands, and what is built on them."""
