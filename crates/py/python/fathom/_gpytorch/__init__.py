"""Models of GPyTorch, read by an allow-list; BoTorch's are among them."""
