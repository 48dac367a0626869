NAME fathom
ROWS
 N obj
 E mean
 L variance
 E distance_1
 E distance_2
 E pwl_x_1
 E pwl_y_1
 E w_sum_1
 L z_one_1_0
 L z_zero_1_0
 L z_one_1_1
 L z_zero_1_1
 L z_one_1_2
 L z_zero_1_2
 E pwl_x_2
 E pwl_y_2
 E w_sum_2
 L z_one_2_0
 L z_zero_2_0
 L z_one_2_1
 L z_zero_2_1
 L z_one_2_2
 L z_zero_2_2
COLUMNS
    x_1 distance_1 1.6
    x_1 distance_2 7.2
    mu obj 1
    mu mean -1
    sigma obj -2
    r_1 pwl_x_1 -1
    r_2 pwl_x_2 -1
    K_1 mean 0.6483516483516483
    K_1 pwl_y_1 -1
    K_2 mean -0.4945054945054944
    K_2 pwl_y_2 -1
    w_1_0 pwl_y_1 1
    w_1_0 w_sum_1 1
    w_1_0 z_zero_1_0 1
    w_1_0 z_zero_1_1 1
    w_1_0 z_zero_1_2 1
    w_1_1 pwl_x_1 0.25
    w_1_1 pwl_y_1 0.9294
    w_1_1 w_sum_1 1
    w_1_1 z_zero_1_1 1
    w_1_1 z_zero_1_2 1
    w_1_2 pwl_x_1 0.5
    w_1_2 pwl_y_1 0.7848
    w_1_2 w_sum_1 1
    w_1_2 z_one_1_0 1
    w_1_2 z_zero_1_2 1
    w_1_3 pwl_x_1 1
    w_1_3 pwl_y_1 0.4834
    w_1_3 w_sum_1 1
    w_1_3 z_one_1_1 1
    w_1_3 z_zero_1_2 1
    w_1_4 pwl_x_1 1.5
    w_1_4 pwl_y_1 0.2677
    w_1_4 w_sum_1 1
    w_1_4 z_zero_1_0 1
    w_1_4 z_one_1_1 1
    w_1_5 pwl_x_1 2
    w_1_5 pwl_y_1 0.1397
    w_1_5 w_sum_1 1
    w_1_5 z_zero_1_0 1
    w_1_5 z_one_1_1 1
    w_1_5 z_one_1_2 1
    MARKER 'MARKER' 'INTORG'
    z_1_0 z_one_1_0 -1
    z_1_0 z_zero_1_0 1
    z_1_1 z_one_1_1 -1
    z_1_1 z_zero_1_1 1
    z_1_2 z_one_1_2 -1
    z_1_2 z_zero_1_2 1
    MARKER 'MARKER' 'INTEND'
    w_2_0 pwl_y_2 1
    w_2_0 w_sum_2 1
    w_2_0 z_zero_2_0 1
    w_2_0 z_zero_2_1 1
    w_2_0 z_zero_2_2 1
    w_2_1 pwl_x_2 0.25
    w_2_1 pwl_y_2 0.9294
    w_2_1 w_sum_2 1
    w_2_1 z_zero_2_1 1
    w_2_1 z_zero_2_2 1
    w_2_2 pwl_x_2 0.5
    w_2_2 pwl_y_2 0.7848
    w_2_2 w_sum_2 1
    w_2_2 z_one_2_0 1
    w_2_2 z_zero_2_2 1
    w_2_3 pwl_x_2 1
    w_2_3 pwl_y_2 0.4834
    w_2_3 w_sum_2 1
    w_2_3 z_one_2_1 1
    w_2_3 z_zero_2_2 1
    w_2_4 pwl_x_2 1.5
    w_2_4 pwl_y_2 0.2677
    w_2_4 w_sum_2 1
    w_2_4 z_zero_2_0 1
    w_2_4 z_one_2_1 1
    w_2_5 pwl_x_2 2
    w_2_5 pwl_y_2 0.1397
    w_2_5 w_sum_2 1
    w_2_5 z_zero_2_0 1
    w_2_5 z_one_2_1 1
    w_2_5 z_one_2_2 1
    MARKER 'MARKER' 'INTORG'
    z_2_0 z_one_2_0 -1
    z_2_0 z_zero_2_0 1
    z_2_1 z_one_2_1 -1
    z_2_1 z_zero_2_1 1
    z_2_2 z_one_2_2 -1
    z_2_2 z_zero_2_2 1
    MARKER 'MARKER' 'INTEND'
RHS
    RHS variance 1
    RHS distance_1 0.16000000000000003
    RHS distance_2 3.24
    RHS w_sum_1 1
    RHS z_zero_1_0 1
    RHS z_zero_1_1 1
    RHS z_zero_1_2 1
    RHS w_sum_2 1
    RHS z_zero_2_0 1
    RHS z_zero_2_1 1
    RHS z_zero_2_2 1
BOUNDS
 LO BND x_1 0
 UP BND x_1 1
 LO BND mu -2
 UP BND mu 2
 LO BND sigma 0
 UP BND sigma 1
 LO BND r_1 0
 UP BND r_1 2
 LO BND r_2 0
 UP BND r_2 2
 LO BND K_1 0.1397
 UP BND K_1 1
 LO BND K_2 0.1397
 UP BND K_2 1
 LO BND w_1_0 0
 UP BND w_1_0 1
 LO BND w_1_1 0
 UP BND w_1_1 1
 LO BND w_1_2 0
 UP BND w_1_2 1
 LO BND w_1_3 0
 UP BND w_1_3 1
 LO BND w_1_4 0
 UP BND w_1_4 1
 LO BND w_1_5 0
 UP BND w_1_5 1
 BV BND z_1_0
 BV BND z_1_1
 BV BND z_1_2
 LO BND w_2_0 0
 UP BND w_2_0 1
 LO BND w_2_1 0
 UP BND w_2_1 1
 LO BND w_2_2 0
 UP BND w_2_2 1
 LO BND w_2_3 0
 UP BND w_2_3 1
 LO BND w_2_4 0
 UP BND w_2_4 1
 LO BND w_2_5 0
 UP BND w_2_5 1
 BV BND z_2_0
 BV BND z_2_1
 BV BND z_2_2
QCMATRIX variance
    sigma sigma 1
    K_1 K_1 1.0989010989010988
    K_1 K_2 -0.32967032967032966
    K_2 K_1 -0.32967032967032966
    K_2 K_2 1.0989010989010988
QCMATRIX distance_1
    x_1 x_1 -4
    r_1 r_1 1
QCMATRIX distance_2
    x_1 x_1 -4
    r_2 r_2 1
ENDATA
