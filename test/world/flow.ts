import type { Grid } from '../../src/files/data/grid.ts';

const [COLUMNS, ROWS] = [120, 80];

/** Three hours of a flow round a dry island, 120 × 80 cells of 500 m. @param first time of the first step */
export const flow = (first = Date.UTC(2026, 0, 24)): Grid => ({
  kind: 'grid',
  width: COLUMNS,
  height: ROWS,
  affine: [500_000, 500, 0, 6_040_000, 0, -500],
  crs: { authority: 'EPSG', code: 25832 },
  time: { spacing: 'equidistant', unit: 'hour', start: first, count: 3, offset: 0, interval: 1 },
  bands: [
    { name: 'Water depth', unit: 'm', type: 'Float32', nodata: -1e-35 },
    { name: 'U velocity', unit: 'm/s', type: 'Float32', nodata: -1e-35 },
    { name: 'V velocity', unit: 'm/s', type: 'Float32', nodata: -1e-35 },
  ],
  async *rows({ step, band }) {
    const samples = Float32Array.from({ length: COLUMNS * ROWS }, (_, n) => {
      const [x, y] = [(n % COLUMNS) - COLUMNS / 2, Math.floor(n / COLUMNS) - ROWS / 2];
      if (Math.hypot(x, y) < 12) return -1e-35;
      const turn = Math.atan2(y, x);
      return [10 + step * 10 + x / 12, Math.sin(turn), Math.cos(turn)][band]!;
    });
    yield { firstRow: 0, rowCount: ROWS, samples };
  },
});

/** A round hill of 400 m, 80 × 80 cells of 50 m. */
export const hill = (): Grid => ({
  kind: 'grid',
  width: 80,
  height: 80,
  affine: [500_000, 50, 0, 6_040_000, 0, -50],
  crs: { authority: 'EPSG', code: 25832 },
  bands: [{ name: 'Terrain elevation', unit: 'm', type: 'Float32', nodata: -1e-35 }],
  async *rows() {
    const samples = Float32Array.from({ length: 6400 }, (_, n) =>
      Math.max(0, 400 - 10 * Math.hypot((n % 80) - 39.5, Math.floor(n / 80) - 39.5)),
    );
    yield { firstRow: 0, rowCount: 80, samples };
  },
});
