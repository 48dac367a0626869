NAME fathom
ROWS
 N obj
 L weight
COLUMNS
    MARKER 'MARKER' 'INTORG'
    take_1 obj -3
    take_1 weight 3
    take_2 obj -4.3
    take_2 weight 4
    take_3 obj -5.6
    take_3 weight 5
    take_4 obj -6.9
    take_4 weight 6
    take_5 obj -8.2
    take_5 weight 7
    take_6 obj -9.5
    take_6 weight 8
    MARKER 'MARKER' 'INTEND'
RHS
    RHS weight 15
BOUNDS
 BV BND take_1
 BV BND take_2
 BV BND take_3
 BV BND take_4
 BV BND take_5
 BV BND take_6
ENDATA
