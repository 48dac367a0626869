NAME fathom
ROWS
 N obj
 E share
 E tie
 G floor
 L mixed
COLUMNS
    free_1 obj 1
    free_1 tie 1
    below tie -1
    below floor 1
    above obj 1
    unused obj 0
    MARKER 'MARKER' 'INTORG'
    count obj 1
    count floor 0.5
    count mixed -1
    MARKER 'MARKER' 'INTEND'
    fixed obj 0
    MARKER 'MARKER' 'INTORG'
    one obj 0
    MARKER 'MARKER' 'INTEND'
    w_0 obj 2
    w_0 share 1
    w_1 obj -1
    w_1 share 1
    w_2 obj -1e-7
    w_2 share 1
    w_3 obj 2
    w_3 share 1
RHS
    RHS share 1
    RHS floor -6
    RHS mixed 9.25
BOUNDS
 FR BND free_1
 MI BND below
 UP BND below -2.5
 LO BND above 1.5
 PL BND above
 LO BND unused 2
 UP BND unused 3
 LO BND count -7
 PL BND count
 FX BND fixed 0.1
 FX BND one 1
 LO BND w_0 0
 UP BND w_0 1
 LO BND w_1 0
 UP BND w_1 1
 LO BND w_2 0
 UP BND w_2 1
 LO BND w_3 0
 UP BND w_3 1
SOS
 S2 w_order
    w_0 1
    w_1 2
    w_2 3
    w_3 4
QCMATRIX mixed
    above above 1
    above w_0 1
    w_0 above 1
ENDATA
