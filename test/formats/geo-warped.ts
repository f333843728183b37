/** A grid and the expected result of its warp. */
interface Case {
  name: string;
  source: number;
  target: number;
  width?: number;
  height?: number;
  affine: readonly number[];
  type?: 'Float64' | 'Int16' | 'UInt8';
  nodata?: number;
  expected: {
    width: number;
    height: number;
    affine: readonly number[];
    /** Number and sum of the values. */
    valid: number;
    sum: number;
    /** Row, column and value of some cells. */
    cells: readonly number[];
  };
}

/**
 * Grids of `height` (in the test) warped by GDAL 3.10.3 through rasterio 1.4.4: `reproject` in strips of five columns,
 * for which GDAL transforms each position exactly, to the grid geometry of `calculate_default_transform`.
 */
export const warped: readonly Case[] = [
  {
    name: 'metres to Mercator',
    source: 32633,
    target: 3857,
    affine: [500000, 10, 0, 5500000, 0, -10],
    expected: {
      width: 24,
      height: 20,
      affine: [1669792.3618991016, 15.43958997884313, 0.0, 6386318.428620992, 0.0, -15.43958997884313],
      valid: 480,
      sum: 58407.355728149414,
      cells: [
        4, 16, 162.08834838867188, 17, 8, 67.14131164550781, 19, 21, 162.4535369873047, 3, 14, 145.06121826171875, 3,
        13, 142.29861450195312, 1, 16, 165.08351135253906, 11, 15, 129.33692932128906, 15, 23, 191.2763214111328,
      ],
    },
  },
  {
    name: 'degrees to metres with holes',
    source: 4326,
    target: 25832,
    width: 30,
    height: 24,
    affine: [8.0, 0.05, 0, 52.0, 0, -0.03],
    nodata: -9999,
    expected: {
      width: 31,
      height: 24,
      affine: [430254.3475768818, 3412.2549309875913, 0.0, 5761510.316431475, 0.0, -3412.2549309875913],
      valid: 698,
      sum: 100191.70491027832,
      cells: [
        5, 19, 173.10842895507812, 20, 22, 159.15603637695312, 19, 2, 50.8085823059082, 4, 10, 113.77827453613281, 4, 8,
        109.32942962646484, 2, 1, 95.32054901123047, 13, 28, 253.35498046875, 19, 5, 54.4141845703125,
      ],
    },
  },
  {
    name: 'feet to degrees',
    source: 2263,
    target: 4326,
    affine: [980000, 500, 0, 210000, 0, -500],
    type: 'Float64',
    expected: {
      width: 26,
      height: 17,
      affine: [-74.01533733130887, 0.0016408774625091456, 0.0, 40.743078053958456, 0.0, -0.0016408774625091456],
      valid: 442,
      sum: 52932.57647794761,
      cells: [
        3, 25, 222.37083430719585, 14, 19, 132.53554504306913, 13, 14, 95.94280586931046, 3, 1, 93.1258668382937, 3, 0,
        96.36392666419177, 1, 11, 127.46044197771899, 9, 23, 180.66535899816657, 13, 15, 104.8579951062459,
      ],
    },
  },
  {
    name: 'rotated',
    source: 25832,
    target: 3857,
    affine: [500000, 9, 3, 5500000, -4, -10],
    expected: {
      width: 21,
      height: 23,
      affine: [1001875.4171394621, 20.008136633903064, 0.0, 6386318.428811168, 0.0, -20.008136633903064],
      valid: 225,
      sum: 27397.67352294922,
      cells: [
        7, 6, 98.41999816894531, 17, 13, 97.64299774169922, 16, 7, 47.66128921508789, 6, 7, 112.226318359375, 6, 6,
        101.58560180664062, 4, 3, 96.66943359375, 12, 13, 139.81666564941406, 15, 17, 180.2947235107422,
      ],
    },
  },
  {
    name: 'integers',
    source: 27700,
    target: 25832,
    affine: [400000, 1000, 0, 300000, 0, -1000],
    type: 'Int16',
    expected: {
      width: 27,
      height: 23,
      affine: [-246909.55105349817, 1006.7032388318003, 0.0, 5884517.67998409, 0.0, -1006.7032388318003],
      valid: 478,
      sum: 57977.0,
      cells: [
        6, 13, 126.0, 18, 22, 184.0, 17, 14, 97.0, 5, 11, 113.0, 5, 9, 102.0, 3, 14, 129.0, 13, 8, 83.0, 17, 15, 111.0,
      ],
    },
  },
  {
    name: 'bytes with nodata',
    source: 3857,
    target: 4326,
    affine: [1100000, 500, 0, 7000000, 0, -500],
    type: 'UInt8',
    nodata: 7,
    expected: {
      width: 28,
      height: 14,
      affine: [9.881468125314735, 0.003858975841894132, 0.0, 53.0918187695962, 0.0, -0.003858975841894132],
      valid: 356,
      sum: 1714.0,
      cells: [3, 6, 1.0, 12, 3, 0.0, 13, 25, 9.0, 2, 14, 2.0, 2, 12, 10.0, 1, 5, 10.0, 8, 4, 1.0, 11, 3, 9.0],
    },
  },
];
