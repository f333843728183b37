export type CrsKind =
  | 'projected'
  | 'geographic'
  | 'geographic3D'
  | 'geocentric'
  | 'vertical'
  | 'compound'
  | 'engineering'
  | 'other';

/**
 * All CRS codes and their kinds, so that a code can be checked and written to a file without loading PROJ. From the
 * database of PROJ 9.3.1 (EPSG Geodetic Parameter Dataset v10.098, © IOGP; Esri projection engine, ArcGIS Pro 3.2),
 * including deprecated codes. A test compares this table with that database and prints a new one if they differ.
 *
 * Encoded as runs of consecutive codes in base 36: difference of the first code to the last code of the previous run,
 * then `-` and the number of codes that follow the first.
 */
const registries: Record<'EPSG' | 'ESRI', Partial<Record<CrsKind, string>>> = {
  EPSG: {
    projected:
      '1jk-50 8-2w 2-iv 2-mo 2-9 a 2-2 9-4 3-k 2 3 g-c 5-3 e-5 8 m-8 i-2 3-3 2-1 6-4 2-6 t b-1 a-3 5-7 8 b-1 4-1 5-3 3d 4t-p 2-h 3-2 g-2 5 5 4 3 a-5 2-1r 5 9-l 1m 5-4 32-y c a 4 d g-p 3q-4 n-1 6 l-3 x-p 11-l x 2-2 9-1 8 4 6-6 7 3-6 h-j 5 4-1 4 4-2 6 6-6 6-2 4-1 5 f-1 4-2 7 1o-7 3 3 3 7-3 8 n-3 2-2 3 7-9 b-2 7 3-l 5-1 7 r-2 2 2 2-8 2 2-1 2 3-6 4 4-h 2-3 f 3h b-1 2 3 2 e h-2 2-1 7 3 6-3 m-j 32-23 3-1 c 1n-2 2 6-1 x-v w 5 4 c-k 2-6 6 4-6 9-6 4 2-6s 9 n-n b 4-2 b-3 9-6 1a-27 4-1 2 5-1 3-1 4-3 s 7-3 6-2 n-3 3 4 i 7 5-1 8-2 1e-d 4-8 r-j 3-1 a 37-35 4-2 48-39 1b-4 1n-w 4-4 4-2 2-2 k-6 e-e i-1 4-1 4 c 2k-1 l-j 3-1 8-1 d-1 6-3 e-1 5 2-3 2-26 4 2-3 2-1 2 2 2 2 3-2 2-a 2-2 2 2 2 2 2-2 2d-11 4-1 q-6 2 4 4 12 8 e-1 1q-b 2 2-3 2-2 3t-2 3 4-1 5-1 3p a-4 h-2 18 5-2 14-1 2g-1 2t 8-1 4-5 w e-d 3-1 r-1 2 2 b 6-2 b-1 a-2 3 b 17 2-4 7 6 4 a 4 d-3 1d h 3-6 5-7 4 1f 3h 4 2 h-2 a 3-1 3 p 7-1 c 5 r-1 r-18 4 5-1 5 f 1c 2 2 k 5 5 53 n 5 6 5 8 5 5 5 5 8 5 a 4 4 4 4 4 5 5 5-6 f 8-3 c 3b-h 6 6 3-1 hl-4 6us 2-s a 5-3 e-s 17-3 32-a 2i-a 26-4 1n 13-1 6z-1 v-2 28-s 2-2 1w-s 3-2 1m-2 3 1c-2 1l-1l r-1 f-1l 1d-a u-a a-a h 7s-2 z-1 21-3 2-3 3p-1 1m-1 27-6 4-6 4-6 a-f 7-3 2-2 3-1 3-7 c-3 a 2 2 2 2 2 2 2 2 2 7 7-f a 5-1 a-9 y-1 f-f 14-3 1k-4 2a-f h 2-5 2-9 17 7-f h n-3 5 a r-f a 4f-3 y-a 1g 5 40-1 1p-w 2s 7f 3m-n d-6 5-7 2-8 1g-2 2r-1 1g 2s 2x-1 5-2 t-5 n-d 39 1b-1 n t 3a-2 2p-4 1k-5 9-2 2z 6f 4g-4 8h 3k-a 1a 1c 77-4 16 2m-1 1n-2 13 4f-1 14 1o 9-l 7-v 6-l 4-8 2-2 8-4 4-7 4-7 4-t l-8 2-m 6-h 2-1e 13-3 28 28 5-r q-2 v-1 2r-7 v 1r-1 7 1p-3 7-3 7-3 7-3 2y dn-2 13 38-a 18-u u-u 30 av-1 30-1 h-4 1a-4 5-8 2-8 p-1 34 12 2 2 2 2 2 2 2 6y-1 1s-2 10-1 32-1 l-3 q-3 76-i l 3v-1 47-3 6j-3 1n-1 8 6c 2l x g-1 28-8 6-3 7-4 2-g 3 1y 2j-8 1n-1 1z 2s 3u-1 1p-1 1s-12 2-q 2-p 3-1 2-3 7-3 4-5 c-2 4 3-n 3-q 2 3-3 d-j 2-1n 15-1n 15-1n 15-1n 14-1v x-1p 5 ilv7',
    geographic:
      '2y3 2 3 1t h 2n-f 2-7 2-9 5-6 5-3 k 6 13-1k 2-7 3-s 2-1z 2-d 2-d 3 2 2 3t 7 5 8 7 1t 3 16-1a b-30 10-a 2-8 2-1 25-3 31 3b 2o-1 4 d 6 c 1o g e 6 5 6 2 8 c 1m d 3 m z 3 j f w 2g 5p 6x 20 2w 7 4 3 14 8f 12 25 2q-2 9 2 2e 3 4 3 19 2 2 2 w b 2 2 19 3 3 6i 8m 3 34 1a 11 5 4c-1 17 42 5 3 6 3 3 3 2o 24-1 3 i 2o 3w 9 5 3b 16 s c 2 5 16 n-s 3 3 3 3 2 3 2 y-4 2-a 3 3 1t 8 5 v 1s 3 2 15 5 a o v 8 8 4 j 1e h 4-1 20 45 6 11 g 3 5 e 2 3 2 2a 5 1w p 5 5 g 4o h 3 7 6 5 8 5 5 5 5 5 8 c 3 4 4 5 3 4 5 7 f 6 2 3 2 g h-1 1w 1i 7 7di 8 5',
    geographic3D:
      '2y7 1t 3l n y 6 6v 2 a 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 3 2 26 3 3 8 2 23 92 2 2 2 2 2 2 3 2 7 2 c 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 d 6h 6 c 1o j b 6 5 6 2 8 c 2o 1l f w 6m 1j 6x 4w 9 2 3 14 8f 12 25 5h 3 4 3 19 2 2 2 2 u d 2 1c 3 6i 7x 2 2 2 2 d 2 2 3 34 j r 11 5 f-c 3 2 2 2 2 2 2 2 2 4a 42 4 4 5 4 3 3 41 4 n 4 34 2 3w e 3b 2a 2 5 a 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 1i 3 3 3 2 3 2 1h 3 1t 8 5 v 2c q f o 1b 2i 25 45 6 1h m 2 3 2 32 2o 58 2y f 2 4 5 2 g 2e 1p 7dq 5',
    geocentric:
      '2y6 1t 35 13 y 6 6x 2-8 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2-1 2 2 24 3 5 6 2 23 92 2 2 2 2 2 2 2-1 2 7 2 2-a 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 d 6h 6 c 1o a 9 b 6 5 5-1 a c 2o 1l e x 6l 1k 6x 4w 8 3 3 14 8f 12 25 49 18 3 4 3 2b 1r 3 6i 7x 2 2 2 2 d 2 2 3 2x 7 j r 11 5 u 2 2 2 2 2 2 2 2 4a 3z 3 3 5 4 5 3 3 40 4 o 4 34 2 3w e 3b 2a 7 a 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 2 1i 3 3 3 5 1j 3 1t 8 5 v 2c q f o 1b 2i 25 45 6 1h m 5 34 2o 58 2y f 6 5 i 2e 1p 7dq 5',
    vertical:
      '2z3 v e f0 i kf 2 j n 28 j 79 3-l 28-5 3-2i u 2 c i-d 1v 59-2 1a-9 4q-3 7q-6 3 1a-2 65 eq-1 5o-1 1b-1 7 3h 5 2 2 1b-2 20 6 8 3 1z-3 10 3v 12-1 2i-1 k 1k 6p f-1 46 14 g 7 7 63 37 a j 5 8-1 f w g 12-1 2-a 1d 7 d 4z-1 c 3 3 3 3 6 14-1 5l 4 67-1 13 4f 3-2 a 6-9 7f9 y-2',
    compound:
      '30d-2 5e-3 xu 50-2 1i-2 16 u 1y-1 8-1 3g-3 a-c 2d 3-v 4o-w e 4f 8c-g v-1 3 4r m o a d5-n er-2 ax-1 a a 96-37 2p ae 3-1 g 1q 6 e y-8 j-1 2 5 5-2 10-18 34-1 1c 2 4 3-1 8-2 h k 5 i 2d b 2 e a d 2 2 4-7 9 4-5 f 5 5 4y-1 5-c a 5 6 5 8 5 5 5 5 8 5 4-1 u 5 c p 11-2 8 2z p-3 7bx 2 y-1 5',
  },
  ESRI: {
    projected:
      '1ol-6 dsj-1 3le 1ko-4 n-2 2xl-1 oz-4 bq-5 3t-1 g5p-3 4-b 2-b 2-3 5-4 2-1 p-6 pl-3 4-b 2-b 2-3 5-4 2-5 l-6 a-1 7-3 8gg-1 2r 2 sfa-8b 4-i3 6-2 2-pw 3-25 66v-2t',
    geographic: '3bl e3 ou5-7 5d-7 3-o 2-6 2-2 2-6 2 2-1 1fhw 9-j j 3 1e-19 y-7 d o p 8-5 p-1 h-1 9h 1i-2e e-27 h-2v',
    geographic3D: '28pm b v-1 2-1 5 b t 3-1',
    vertical: '29hf 2p-4 2e-4 7n6-6f',
  },
};

let kinds: Map<string, CrsKind> | undefined;

/** The kind of CRS with this code; undefined for an unknown code. */
export function kindOfCode(authority: 'EPSG' | 'ESRI', code: number): CrsKind | undefined {
  kinds ??= expand();
  return kinds.get(`${authority}:${code}`);
}

function expand(): Map<string, CrsKind> {
  const all = new Map<string, CrsKind>();
  for (const [authority, byKind] of Object.entries(registries)) {
    for (const [kind, runs] of Object.entries(byKind)) {
      let code = 0;
      for (const run of runs.split(' ')) {
        const [distance, more] = run.split('-');
        code += Number.parseInt(distance!, 36);
        all.set(`${authority}:${code}`, kind as CrsKind);
        for (let i = Number.parseInt(more ?? '0', 36); i > 0; i--) all.set(`${authority}:${++code}`, kind as CrsKind);
      }
    }
  }
  return all;
}
