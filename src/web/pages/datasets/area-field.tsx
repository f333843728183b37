import { useState } from 'preact/hooks';
import { formatNumber } from '../../client/format.ts';
import type { Box, Point } from '../../map/preview/preview-map.ts';
import { Button } from '../../parts/button.tsx';
import { Field, Wrong } from '../../parts/field.tsx';
import { lazy } from '../../parts/lazy.tsx';
import { areaTexts as words } from '../../texts/area.ts';
import { areaOf, type BoxTexts, boundsOf, boxRing, boxTexts, type Ring, sidesOf, typedRing, wktOf } from './area.ts';

type Shape = 'whole' | 'rectangle' | 'polygon';
const SHAPES: readonly Shape[] = ['whole', 'rectangle', 'polygon'];
const AreaMap = lazy(() => import('../map/area-map.tsx'));
const EMPTY: BoxTexts = ['', '', '', ''];

interface AreaFieldProps {
  datasetId: string;
  /** Extent of the dataset. */
  extent: Box;
  /** WKT of the area in longitudes and latitudes; '' while it is not complete; undefined: the whole dataset. */
  onChange: (wkt: string | undefined) => void;
}

/**
 * The part of a dataset that is taken: a rectangle of two corners or a polygon, drawn on a map by clicks or by Enter
 * in its middle, or four numbers.
 */
export function AreaField({ datasetId, extent, onChange }: AreaFieldProps) {
  const [shape, setShape] = useState<Shape>('whole');
  const [texts, setTexts] = useState<BoxTexts>(EMPTY);
  /** Corners so far. */
  const [drawn, setDrawn] = useState<readonly Point[]>([]);
  const [done, setDone] = useState(false);
  const typed = typedRing(texts);
  const ring: Ring = shape === 'rectangle' ? (typed ?? []) : done ? drawn : [];

  function tell(next: Ring) {
    onChange(isArea(next) ? wktOf(next) : '');
  }
  function choose(next: Shape) {
    setShape(next);
    setDrawn([]);
    setDone(false);
    setTexts(EMPTY);
    onChange(next === 'whole' ? undefined : '');
  }
  function type(n: number, text: string) {
    const next = texts.map((one, at) => (at === n ? text : one)) as unknown as BoxTexts;
    setTexts(next);
    setDrawn([]);
    tell(typedRing(next) ?? []);
  }
  function addCorner(point: Point) {
    // such as by Enter before the map has moved on
    const last = drawn.at(-1);
    if (!done && last?.[0] === point[0] && last?.[1] === point[1]) return;
    if (shape === 'rectangle') {
      const [first] = drawn;
      if (first === undefined) return setDrawn([point]);
      const next = boxTexts(boxRing(first, point));
      setTexts(next);
      setDrawn([]);
      return tell(typedRing(next) ?? []);
    }
    if (done) {
      setDone(false);
      setDrawn([point]);
      return tell([]);
    }
    setDrawn([...drawn, point]);
  }
  function finish() {
    setDone(true);
    tell(drawn);
  }
  const isTyped = texts.every((text) => text.trim() !== '');
  return (
    <fieldset class="field area-field">
      <legend class="label">{words.area}</legend>
      <div class="choices">
        {SHAPES.map((one) => (
          <label key={one} class="check">
            <input type="radio" name="area" checked={shape === one} onChange={() => choose(one)} />
            <span>{words[one]}</span>
          </label>
        ))}
      </div>
      {shape !== 'whole' && (
        <>
          <AreaMap
            datasetId={datasetId}
            box={extent}
            ring={ring}
            corners={done ? [] : drawn}
            isRectangle={shape === 'rectangle'}
            onCorner={addCorner}
            onCancel={() => choose(shape)}
          />
          <p class="hint">{shape === 'rectangle' ? words.rectangleHint : words.polygonHint}</p>
          {shape === 'rectangle' ? (
            <div class="area-sides">
              {words.sides.map((side, n) => (
                <Field key={side} label={side} type="number" value={texts[n]!} onInput={(text) => type(n, text)} />
              ))}
            </div>
          ) : (
            <div class="row">
              <Button small disabled={done || drawn.length < 3} onClick={finish}>
                {words.close}
              </Button>
              <Button small kind="ghost" disabled={drawn.length === 0} onClick={() => choose('polygon')}>
                {words.anew}
              </Button>
              <span class="small quiet">{words.corners(drawn.length)}</span>
            </div>
          )}
          {isTyped && typed === undefined && <Wrong>{words.wrong}</Wrong>}
          <p role="status">{isArea(ring) ? sizeText(ring, extent) : words.none}</p>
        </>
      )}
    </fieldset>
  );
}

/** A line is none. */
const isArea = (ring: Ring) => ring.length > 2 && areaOf(ring) > 0;

/** Sides, area, and the share of the extent of the dataset that lies in the box of the area. */
function sizeText(ring: Ring, [west, south, east, north]: Box): string {
  const [width, height] = sidesOf(ring);
  const bounds = boundsOf(ring);
  const whole = boxRing([west, south], [west > east ? east + 360 : east, north]);
  const [left, bottom] = [Math.max(bounds[0], west), Math.max(bounds[1], south)];
  const [right, top] = [Math.min(bounds[2], whole[2]![0]), Math.min(bounds[3], north)];
  if (left >= right || bottom >= top) return words.outside;
  const inside = areaOf(boxRing([left, bottom], [right, top])) / areaOf(whole);
  const share =
    ring.length === 4
      ? inside
      : (inside * areaOf(ring)) / areaOf(boxRing([bounds[0], bounds[1]], [bounds[2], bounds[3]]));
  return words.measures(
    lengthText(width),
    lengthText(height),
    areaText(areaOf(ring)),
    Math.max(1, Math.round(100 * share)),
  );
}

const lengthText = (metres: number) =>
  metres < 1000 ? `${formatNumber(Math.round(metres))} m` : `${formatNumber(metres / 1000)} km`;
const areaText = (metres: number) =>
  metres < 1e5 ? `${formatNumber(Math.round(metres))} m²` : `${formatNumber(metres / 1e6)} km²`;
