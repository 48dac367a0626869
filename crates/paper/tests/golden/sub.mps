NAME fathom
ROWS
 N obj
 G constraint_1_lower
 L constraint_1_upper
 L constraint_2
 E distance_1
 E mean
 E pwl_x_1
 E pwl_y_1
 E w_sum_1
COLUMNS
    x_1 constraint_1_lower 1
    x_1 constraint_1_upper 1
    x_1 distance_1 -2
    MARKER 'MARKER' 'INTORG'
    x_2 constraint_1_lower 1
    x_2 constraint_1_upper 1
    x_2 distance_1 -8
    MARKER 'MARKER' 'INTEND'
    r_1 pwl_x_1 -1
    K_1 mean 0.3845858010922237
    K_1 pwl_y_1 -1
    mu obj 1
    mu mean -1
    w_1_0 pwl_y_1 1.3
    w_1_0 w_sum_1 1
    w_1_1 pwl_x_1 1.8504439592400999
    w_1_1 pwl_y_1 0.22170459752776886
    w_1_1 w_sum_1 1
    w_1_2 pwl_x_1 4.47213595499958
    w_1_2 pwl_y_1 0.004917230648438193
    w_1_2 w_sum_1 1
RHS
    RHS constraint_1_lower 0.25
    RHS constraint_1_upper 2.5
    RHS constraint_2 4
    RHS distance_1 -4.25
    RHS w_sum_1 1
BOUNDS
 LO BND x_1 0
 UP BND x_1 1
 LO BND x_2 0
 UP BND x_2 2
 LO BND r_1 0
 UP BND r_1 2.5
 LO BND K_1 0.16799289380945737
 UP BND K_1 1.3
 LO BND mu 0.06460768164351102
 UP BND mu 0.4999615414198908
 LO BND w_1_0 0
 UP BND w_1_0 1
 LO BND w_1_1 0
 UP BND w_1_1 1
 LO BND w_1_2 0
 UP BND w_1_2 1
SOS
 S2 w_sos_1
    w_1_0 1
    w_1_1 2
    w_1_2 3
QCMATRIX constraint_2
    x_1 x_1 1
    x_2 x_2 1
QCMATRIX distance_1
    x_1 x_1 4
    x_2 x_2 4
    r_1 r_1 -1
ENDATA
