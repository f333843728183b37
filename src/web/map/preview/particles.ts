import type { Map as MapLibreMap } from 'maplibre-gl';

/** Points of a vector field on a side of a tile, as the arrows of vector tiles have them. */
const PER_SIDE = 11;
/** Milliseconds between two pictures. */
const FRAME_MS = 33;
/** Milliseconds that a picture may take: if the mean is more, there are fewer particles. */
const BUDGET_MS = 8;
const [MOST, LEAST] = [1600, 100];
/** Pixels of the map for each particle. */
const SPACE = 350;
/** Pixels a second at the greatest speed. */
const PACE = 55;
/** Pictures that a particle lives. */
const LIFE = 90;

/** Velocities in pixels a second at points of a lattice over the view. */
interface Field {
  readonly left: number;
  readonly top: number;
  readonly columns: number;
  readonly rows: number;
  /** Pixels from point to point. */
  readonly spacing: number;
  /** To the right and downwards, NaN where there is none. */
  readonly across: Float32Array;
  readonly down: Float32Array;
}

interface Particle {
  x: number;
  y: number;
  age: number;
}

/**
 * Particles that drift with a vector field over a map, in a canvas of their own. They rest while the map moves and
 * while the tab is hidden; who asks for less motion sees their still paths.
 */
export class Particles {
  readonly #map: MapLibreMap;
  readonly #source: string;
  readonly #deepest: number;
  readonly #speed: number;
  readonly #canvas = document.createElement('canvas');
  readonly #still = matchMedia('(prefers-reduced-motion: reduce)');
  #field: Field | undefined;
  #particles: Particle[] = [];
  #frame = 0;
  #drawnAt = 0;
  #cost = 0;

  /**
   * @param source id of a vector source with the layer `arrows`
   * @param deepest level of its tiles
   * @param speed the greatest speed
   */
  constructor(map: MapLibreMap, source: string, deepest: number, speed: number) {
    this.#map = map;
    this.#source = source;
    this.#deepest = deepest;
    this.#speed = speed;
    this.#canvas.className = 'particles';
    this.#canvas.setAttribute('aria-hidden', 'true');
    map.getCanvasContainer().append(this.#canvas);
    map.on('movestart', this.#rest);
    map.on('idle', this.#begin);
    document.addEventListener('visibilitychange', this.#show);
    this.#still.addEventListener('change', this.#begin);
    this.#begin();
  }

  remove(): void {
    this.#rest();
    this.#map.off('movestart', this.#rest);
    this.#map.off('idle', this.#begin);
    document.removeEventListener('visibilitychange', this.#show);
    this.#still.removeEventListener('change', this.#begin);
    this.#canvas.remove();
  }

  readonly #rest = () => {
    cancelAnimationFrame(this.#frame);
    this.#canvas.dataset.state = 'resting';
    this.#canvas.getContext('2d')?.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
  };

  readonly #show = () => {
    if (document.visibilityState === 'hidden') cancelAnimationFrame(this.#frame);
    else this.#begin();
  };

  /** The map is at rest and its tiles are there. */
  readonly #begin = () => {
    cancelAnimationFrame(this.#frame);
    if (document.visibilityState === 'hidden' || this.#map.isMoving()) return;
    const { clientWidth: width, clientHeight: height } = this.#map.getContainer();
    if (this.#canvas.width !== width || this.#canvas.height !== height)
      [this.#canvas.width, this.#canvas.height] = [width, height];
    this.#field = this.#readField(width, height);
    if (this.#field === undefined) return this.#rest();
    const count = Math.min(MOST, Math.max(LEAST, Math.round((width * height) / SPACE)));
    this.#particles = Array.from({ length: count }, () => this.#born(Math.floor(Math.random() * LIFE)));
    if (this.#still.matches) return this.#drawStill();
    this.#canvas.dataset.state = 'moving';
    this.#frame = requestAnimationFrame(this.#draw);
  };

  #readField(width: number, height: number): Field | undefined {
    if (this.#map.getSource(this.#source) === undefined) return undefined;
    const zoom = Math.max(0, Math.min(this.#deepest, Math.floor(this.#map.getZoom())));
    // of Web Mercator, from 0 to the number of points round the world
    const lattice = PER_SIDE * 2 ** zoom;
    const world = 512 * 2 ** this.#map.getZoom();
    const spacing = world / lattice;
    const corner = this.#map.unproject([0, 0]);
    const [x, y] = mercator(corner.lng, corner.lat);
    const [left, top] = [Math.floor(x * lattice) - 1, Math.floor(y * lattice) - 1];
    const [columns, rows] = [Math.ceil(width / spacing) + 3, Math.ceil(height / spacing) + 3];
    const across = new Float32Array(columns * rows).fill(Number.NaN);
    const down = across.slice();
    let found = 0;
    for (const { geometry, properties } of this.#map.querySourceFeatures(this.#source, { sourceLayer: 'arrows' })) {
      if (geometry.type !== 'Point') continue;
      const [longitude, latitude] = geometry.coordinates as [number, number];
      const [pointX, pointY] = mercator(longitude, latitude);
      // the world repeats itself
      const column = ((((Math.floor(pointX * lattice) - left) % lattice) + lattice) % lattice) | 0;
      const row = Math.floor(pointY * lattice) - top;
      if (column >= columns || row < 0 || row >= rows) continue;
      const { speed, direction } = properties as { speed: number; direction: number };
      const pace = (PACE * speed) / Math.max(1e-9, this.#speed);
      const turn = (direction * Math.PI) / 180;
      across[row * columns + column] = pace * Math.sin(turn);
      down[row * columns + column] = -pace * Math.cos(turn);
      found++;
    }
    if (found === 0) return undefined;
    // the middle of a cell of the lattice has the arrow
    const origin = { left: (left + 0.5 - x * lattice) * spacing, top: (top + 0.5 - y * lattice) * spacing };
    return { ...origin, columns, rows, spacing, across, down };
  }

  #born(age = 0): Particle {
    return { x: Math.random() * this.#canvas.width, y: Math.random() * this.#canvas.height, age };
  }

  readonly #draw = (now: number) => {
    this.#frame = requestAnimationFrame(this.#draw);
    if (now - this.#drawnAt < FRAME_MS) return;
    const seconds = Math.min(0.1, (now - this.#drawnAt) / 1000);
    this.#drawnAt = now;
    const begun = performance.now();
    const context = this.#canvas.getContext('2d')!;
    // what was drawn fades
    context.globalCompositeOperation = 'destination-in';
    context.fillStyle = 'rgb(0 0 0 / 0.9)';
    context.fillRect(0, 0, this.#canvas.width, this.#canvas.height);
    context.globalCompositeOperation = 'source-over';
    this.#advance(context, seconds);
    this.#cost = 0.9 * this.#cost + 0.1 * (performance.now() - begun);
    if (this.#cost > BUDGET_MS && this.#particles.length > LEAST) {
      this.#particles.length = Math.max(LEAST, Math.floor(this.#particles.length * 0.7));
      this.#cost = 0;
    }
  };

  /** Paths as they would be after some seconds, once. */
  #drawStill(): void {
    this.#canvas.dataset.state = 'still';
    const context = this.#canvas.getContext('2d')!;
    context.clearRect(0, 0, this.#canvas.width, this.#canvas.height);
    this.#particles.length = Math.ceil(this.#particles.length / 4);
    for (const particle of this.#particles) particle.age = 0;
    for (let n = 0; n < LIFE / 4; n++) this.#advance(context, 1 / 30);
  }

  #advance(context: CanvasRenderingContext2D, seconds: number): void {
    const field = this.#field!;
    context.lineWidth = 1.4;
    context.lineCap = 'round';
    context.strokeStyle = 'rgb(255 255 255 / 0.85)';
    context.beginPath();
    for (const particle of this.#particles) {
      const velocity = particle.age++ < LIFE ? velocityAt(field, particle.x, particle.y) : undefined;
      if (velocity === undefined) {
        Object.assign(particle, this.#born());
        continue;
      }
      context.moveTo(particle.x, particle.y);
      particle.x += velocity[0] * seconds;
      particle.y += velocity[1] * seconds;
      context.lineTo(particle.x, particle.y);
    }
    context.stroke();
  }
}

/** Bilinear between the four points around; undefined unless all have a velocity. */
function velocityAt(field: Field, x: number, y: number): [number, number] | undefined {
  const { left, top, columns, rows, spacing, across, down } = field;
  const [column, row] = [(x - left) / spacing, (y - top) / spacing];
  const [c, r] = [Math.floor(column), Math.floor(row)];
  if (c < 0 || r < 0 || c + 1 >= columns || r + 1 >= rows) return undefined;
  const [s, t] = [column - c, row - r];
  const at = r * columns + c;
  const mean = (values: Float32Array) =>
    (values[at]! * (1 - s) + values[at + 1]! * s) * (1 - t) +
    (values[at + columns]! * (1 - s) + values[at + columns + 1]! * s) * t;
  const [u, v] = [mean(across), mean(down)];
  return Number.isNaN(u + v) ? undefined : [u, v];
}

/** From 0 at the west and north of Web Mercator to 1. */
const mercator = (longitude: number, latitude: number): [number, number] => [
  (longitude + 180) / 360,
  (1 - Math.asinh(Math.tan((latitude * Math.PI) / 180)) / Math.PI) / 2,
];
