import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, startBrowser, type Tab } from '../test/world/browser.ts';
import { madeMesh, writeData } from './made-data.ts';
import { type BenchPlatform, withPlatform } from './platform.ts';

/** Nodes on a side of the meshes: 99,458 and 999,698 triangles. */
const SIDES = [224, 708];
const TURNS = 3;
const PASSWORD = 'Correct-horse-77';

/**
 * Pictures a second of the console's map while it is dragged, in turns with a bare WebGL draw of as many triangles in a
 * canvas of the same size, in software WebGL. All elements are in view, with and without their lines.
 */
export async function bench(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-map-'));
  const browser = await startBrowser();
  try {
    await withPlatform(async (platform) => {
      const base = `http://127.0.0.1:${await platform.port()}`;
      const tab = await signedIn(browser, base);
      for (const side of SIDES) {
        const id = await plant(platform, folder, side);
        const triangles = 2 * (side - 1) ** 2;
        for (const show of ['elements', 'arrows'])
          await compare(tab, `${base}/datasets/${id}#show=${show}`, triangles, show);
      }
    });
  } finally {
    await browser.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function signedIn(browser: Browser, base: string): Promise<Tab> {
  const tab = await browser.tab();
  await tab.viewport(1280, 860);
  await tab.go(`${base}/signin`);
  await tab.until("document.querySelector('h1')", 'the first page is shown');
  const body = JSON.stringify(JSON.stringify({ id: 'bench', password: PASSWORD }));
  await tab.evaluate(`fetch('api/tokens/session', { method: 'POST', body: ${body},
    headers: { 'svc-session': '1', 'content-type': 'application/json' } }).then(({ status }) => status)`);
  return tab;
}

async function plant(platform: BenchPlatform, folder: string, side: number): Promise<string> {
  const { app, pool, blobs, headers, userId } = platform;
  const file = join(folder, `mesh-${side}`);
  await writeData(madeMesh(undefined, side), 'MDWriter', file);
  const { size } = await stat(file);
  const project = await app.inject({ method: 'POST', url: '/api/metadata/project', headers, payload: { name: 'Sea' } });
  const [id, blob] = [randomUUID(), `dataset/${randomUUID()}`];
  await blobs.adopt(file, blob);
  await pool.query(
    `insert into datasets (id, project_id, name, dataset_type, dataset_format, blob, storage_size, created_by, updated_by)
     values ($1, $2, 'mesh', 'multidimensional', 'md', $3, $4, $5, $5)`,
    [id, project.json().id, blob, size, userId],
  );
  return id;
}

async function compare(tab: Tab, address: string, triangles: number, show: string): Promise<void> {
  await tab.go('about:blank');
  await tab.go(address);
  await tab.until("document.querySelector('.map-canvas[data-state=shown]')", 'the map is shown');
  await untilQuiet(tab);
  await tab.evaluate(MEASURE);
  const [maps, bares]: [Rate[], Rate[]] = [[], []];
  for (let turn = 0; turn < TURNS; turn++) {
    maps.push(await tab.evaluate('window.ofMap()'));
    bares.push(await tab.evaluate(`window.ofBare(${triangles})`));
  }
  const [map, bare] = [median(maps), median(bares)];
  const ratio = (bare.rate / map.rate).toFixed(2);
  console.log(`${triangles} elements with ${show}: map ${text(map)}, bare ${text(bare)}, ratio ${ratio}`);
}

/** Pictures a second, and milliseconds of the page's own thread for each: the rest is drawing. */
interface Rate {
  readonly rate: number;
  readonly script: number;
}

const text = ({ rate, script }: Rate) => `${rate.toFixed(1)} frames/s (${script.toFixed(1)} ms of script each)`;

/** Waits until the tab has asked for nothing for two seconds. */
async function untilQuiet({ requests }: Tab): Promise<void> {
  for (let before = -1; before !== requests.length; ) {
    before = requests.length;
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
}

const median = (values: readonly Rate[]) => values.toSorted((a, b) => a.rate - b.rate)[values.length >> 1]!;

/** Runs in the page: `ofMap()` drags the map in a small circle, `ofBare(triangles)` draws triangles over it. */
const MEASURE = `
const SECONDS = 3;
const holder = document.querySelector('.map-canvas canvas');
let script = 0;
const { requestAnimationFrame: request } = window;
window.requestAnimationFrame = (work) => request.call(window, (now) => {
  const begin = performance.now();
  work(now);
  script += performance.now() - begin;
});
async function rate(draw) {
  for (let n = 0; n < 5; n++) { draw(n); await new Promise(requestAnimationFrame); }
  let [count, events] = [0, 0];
  script = 0;
  const begin = performance.now();
  while (performance.now() - begin < SECONDS * 1000) {
    const before = performance.now();
    draw(count++);
    events += performance.now() - before;
    await new Promise(requestAnimationFrame);
  }
  return { rate: (count * 1000) / (performance.now() - begin), script: (script + events) / count };
}
window.ofMap = async () => {
  const { left, top, width, height } = holder.getBoundingClientRect();
  const mouse = (type, n) => holder.dispatchEvent(new MouseEvent(type, {
    bubbles: true, cancelable: true, button: 0, buttons: type === 'mouseup' ? 0 : 1,
    clientX: left + width / 2 + 40 * Math.cos(n / 8), clientY: top + height / 2 + 40 * Math.sin(n / 8),
  }));
  mouse('mousedown', 0);
  const found = await rate((n) => mouse('mousemove', n));
  mouse('mouseup', 0);
  await new Promise((resolve) => setTimeout(resolve, 500));
  return found;
};
window.ofBare = async (triangles) => {
  const canvas = document.createElement('canvas');
  canvas.width = holder.width;
  canvas.height = holder.height;
  canvas.style.cssText = 'position: absolute; inset: 0; z-index: 99';
  holder.parentElement.append(canvas);
  const gl = canvas.getContext('webgl2', { antialias: false });
  const compile = (type, text) => {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    return shader;
  };
  const program = gl.createProgram();
  gl.attachShader(program, compile(gl.VERTEX_SHADER, 'attribute vec2 at; attribute float value; uniform vec2 shift; varying float v; void main() { v = value; gl_Position = vec4(at + shift, 0, 1); }'));
  gl.attachShader(program, compile(gl.FRAGMENT_SHADER, 'precision mediump float; varying float v; void main() { gl_FragColor = vec4(v, 0.5, 1.0 - v, 1); }'));
  gl.linkProgram(program);
  gl.useProgram(program);
  const side = Math.round(Math.sqrt(triangles / 2));
  const data = new Float32Array(triangles * 9);
  let at = 0;
  for (let row = 0; row < side; row++)
    for (let column = 0; column < side; column++) {
      const corner = (dx, dy) => [((column + dx) / side) * 1.4 - 0.7, ((row + dy) / side) * 1.4 - 0.7];
      for (const corners of [[[0, 0], [1, 0], [1, 1]], [[0, 0], [1, 1], [0, 1]]]) {
        const value = Math.sin(at * 1e-4) / 2 + 0.5;
        for (const [dx, dy] of corners) { data.set([...corner(dx, dy), value], at); at += 3; }
      }
    }
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
  for (const [name, size, offset] of [['at', 2, 0], ['value', 1, 8]]) {
    const place = gl.getAttribLocation(program, name);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, size, gl.FLOAT, false, 12, offset);
  }
  const shift = gl.getUniformLocation(program, 'shift');
  const found = await rate((n) => {
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform2f(shift, 0.1 * Math.cos(n / 8), 0.1 * Math.sin(n / 8));
    gl.drawArrays(gl.TRIANGLES, 0, 3 * triangles);
  });
  gl.getExtension('WEBGL_lose_context').loseContext();
  canvas.remove();
  return found;
};
0`;
