//! The paper's figures, redrawn.
