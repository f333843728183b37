import { useMemo, useState } from 'preact/hooks';
import { datasetPreview } from '../../client/preview.ts';
import { useQuery } from '../../client/query.ts';
import type { Box, Point } from '../../map/preview/preview-map.ts';
import { areaTexts as words } from '../../texts/area.ts';
import { boxRing, type Ring } from '../datasets/area.ts';
import { hasMap } from '../datasets/has-map.ts';
import { MapCanvas } from './map-canvas.tsx';
import { readView } from './view.ts';

interface AreaMapProps {
  datasetId: string;
  box: Box;
  /** The area that is chosen. */
  ring: Ring;
  /** Corners of the area that is being drawn. */
  corners: readonly Point[];
  isRectangle: boolean;
  onCorner: (point: Point) => void;
  onCancel: () => void;
}

/** A map of a dataset on which an area is drawn. */
export default function AreaMap({ datasetId, box, ring, corners, isRectangle, onCorner, onCancel }: AreaMapProps) {
  const source = datasetPreview(datasetId);
  const preview = useQuery(`preview ${datasetId}`, (signal) => source.describe(signal)).data;
  const [hovered, setHovered] = useState<Point>();
  const data = useMemo(
    () =>
      preview?.state === 'ready' && hasMap(preview)
        ? [{ source, preview, view: { ...readView(new URLSearchParams(), preview), overlays: [] } }]
        : [],
    [preview],
  );
  const line = useMemo(() => lineOf(ring, corners, hovered, isRectangle), [ring, corners, hovered, isRectangle]);
  return (
    <div class="area-map">
      <MapCanvas
        label={words.map}
        data={data}
        box={box}
        center={undefined}
        point={undefined}
        line={line}
        onMove={() => {}}
        onClick={onCorner}
        onHover={setHovered}
        onKey={(key, map) => {
          if (key === 'Enter') onCorner(map.center);
          else if (key === 'Escape') onCancel();
          else return false;
          return true;
        }}
        onOpen={() => {}}
      />
    </div>
  );
}

/** The border of the area, or of what the next click would make of the corners so far. */
function lineOf(ring: Ring, corners: readonly Point[], hovered: Point | undefined, isRectangle: boolean) {
  const [first] = corners;
  if (first === undefined) return ring.length < 3 ? [] : [...ring, ring[0]!];
  if (!isRectangle) return hovered === undefined ? corners : [...corners, hovered];
  if (hovered === undefined) return corners;
  const box = boxRing(first, hovered);
  return [...box, box[0]!];
}
