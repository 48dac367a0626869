NAME fathom
ROWS
 N obj
 E mean
 L variance
 E distance_1
 E distance_2
COLUMNS
    x_1 distance_1 1.6
    x_1 distance_2 7.2
    mu obj 1
    mu mean -1
    sigma obj -2
    r_1 obj 0
    r_2 obj 0
    K_1 mean 0.6483516483516483
    K_2 mean -0.4945054945054944
RHS
    RHS variance 1
    RHS distance_1 0.16000000000000003
    RHS distance_2 3.24
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
GENCONS
 PWL pwl_1
    r_1 K_1
    0 1
    0.25 0.9294
    0.5 0.7848
    1 0.4834
    1.5 0.2677
    2 0.1397
 PWL pwl_2
    r_2 K_2
    0 1
    0.25 0.9294
    0.5 0.7848
    1 0.4834
    1.5 0.2677
    2 0.1397
ENDATA
