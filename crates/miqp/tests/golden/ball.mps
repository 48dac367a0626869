NAME fathom
ROWS
 N obj
 L ball
 G hole
COLUMNS
    x obj 0
    y obj 0
    MARKER 'MARKER' 'INTORG'
    n obj -1
    MARKER 'MARKER' 'INTEND'
RHS
    RHS obj -10
    RHS ball 9
    RHS hole 1
BOUNDS
 LO BND x 0
 UP BND x 3
 LO BND y 0
 UP BND y 3
 LO BND n 0
 UP BND n 3
QUADOBJ
    x y -1
QCMATRIX ball
    x x 1
    y y 1
    n n 1
QCMATRIX hole
    x x 1
    y y 1
ENDATA
