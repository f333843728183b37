import type { MultiArray } from '../../../data/multi-array.ts';
import { type StoreContent, type WholeArray, wholeArray } from '../../io/store/content.ts';
import { coordinateAttributes, known } from '../../io/store/crs.ts';
import { ATTRIBUTE } from '../../io/store/description.ts';

/**
 * x and y of curvilinear cells as coordinates of two dimensions, then their bounds around each cell (CF 5.2 and 7.1).
 * Empty for other arrays.
 */
export async function cellsOfArray(array: MultiArray, content: StoreContent): Promise<WholeArray[]> {
  const { placement, axes, crs } = array;
  if (placement?.by !== 'nodes') return [];
  const system = await known(crs);
  const described = content.attributes[ATTRIBUTE] as { readonly axes: readonly { readonly array: string }[] };
  const dimensions = [placement.y, placement.x].map((axis) => described.axes[axis]!.array);
  const [height, width] = [axes[placement.y]!.values.length, axes[placement.x]!.values.length];
  const made = (['x', 'y'] as const).map((axis) => {
    const { nodeX, nodeY } = placement;
    // The lowest level of cells in space comes first.
    const nodes = (axis === 'x' ? nodeX : nodeY).subarray(0, (height + 1) * (width + 1));
    const corners = new Float64Array(4 * height * width);
    for (let row = 0; row < height; row++)
      for (let column = 0; column < width; column++) {
        const first = row * (width + 1) + column;
        const around = [first, first + 1, first + width + 2, first + width + 1];
        corners.set(
          around.map((node) => nodes[node]!),
          4 * (row * width + column),
        );
      }
    const centres = Float64Array.from({ length: height * width }, (_, cell) => {
      const [a, b, c, d] = corners.subarray(4 * cell, 4 * cell + 4) as unknown as [number, number, number, number];
      return a + (b - a + (c - a) + (d - a)) / 4;
    });
    const name = `${axis}_of_cell`;
    const { axis: _, ...attributes } = coordinateAttributes(axis, system);
    return [
      wholeArray(name, 'Float64', centres, {
        dimensions,
        shape: [height, width],
        attributes: { long_name: `${axis} of the cells`, ...attributes, bounds: `${name}_bounds` },
      }),
      wholeArray(`${name}_bounds`, 'Float64', corners, {
        dimensions: [...dimensions, 'cell_corner'],
        shape: [height, width, 4],
      }),
    ] as const;
  });
  return [...made.map(([centres]) => centres), ...made.map(([, bounds]) => bounds)];
}
