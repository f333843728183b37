import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import type { Command } from 'commander';
import { programFor } from '../../cli/program.ts';
import { NOUNS } from '../../cli/registry.ts';
import { until } from '../world/hooks.ts';
import { record } from '../world/recorder.ts';
import { newStore } from '../world/stores.ts';
import { ASCII_GRID } from '../world/transfers.ts';
import { PASSWORD, world } from '../world.ts';
import { type Description, undeclared } from './declared.ts';
import { machines } from './machine.ts';
import { person } from './person.ts';

const w = world(test);
const machine = machines(w);

/** Commands that ask no server. */
const LOCAL = new Set(NOUNS.filter(({ local }) => local).map(({ name }) => name));
/** Works beside the API, which does not start before. */
const ADOPT = 'blobs adopt';
/** Options of the terminal, and those whose request is the same without them. */
const NOT_SENT = new Set([
  '--json',
  '--wide',
  '--tenant',
  '--reason',
  '--yes',
  '--watch',
  '--no-watch',
  '--force',
  '--output',
]);

interface Leaf {
  path: string[];
  command: Command;
}

const leavesOf = (command: Command, path: string[] = []): Leaf[] =>
  command.commands.length === 0
    ? [{ path, command }]
    : command
        .createHelp()
        .visibleCommands(command)
        .filter((one) => one.name() !== 'help')
        .flatMap((one) => leavesOf(one, [...path, one.name()]));

const leaves = async () =>
  leavesOf(await programFor(['completion'], person({}).io)).filter(
    ({ path }) => !LOCAL.has(path[0] ?? '') && path.join(' ') !== ADOPT,
  );

/**
 * How a command line is called: what it reads, and whether the platform refuses it, which changes nothing of what it
 * sends.
 */
interface How {
  stdin?: string;
  refused?: boolean;
}

test('commands send only members and parameters that their routes declare, with any options', async (t) => {
  const { userId, tenantId } = await w.administrator();
  const at = await machine(t);
  const recorder = await record(at.url);
  t.teardown(() => recorder.close());
  const description: Description = (await w.nobody.get('/openapi.json')).body;
  const all = await leaves();
  const called = new Map(all.map(({ path }) => [path.join(' '), new Set<string>()]));
  const env = { PLATFORM_URL: recorder.url, PLATFORM_TOKEN: await w.tokenOf({ userId }) };

  const wrong: string[] = [];
  /** Runs it with every option of the terminal, checks its requests, and returns the JSON that it printed. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the API answers
  const run = async (argv: string[], { stdin, refused = false }: How = {}): Promise<any> => {
    const leaf = all.find(({ path }) => path.every((word, index) => argv[index] === word));
    if (!leaf) throw new Error(`There is no command ${argv.join(' ')}.`);
    const flags = new Set(leaf.command.options.filter(({ hidden }) => !hidden).map(({ long }) => long));
    const more = ['--json', '--wide', '--yes', '--reason=a test', `--tenant=${tenantId}`].filter((option) => {
      const [flag = ''] = option.split('=');
      return flags.has(flag) && !argv.includes(flag);
    });
    const line = [...argv, ...more];
    const seen = await at.run(line, { env, ...(stdin === undefined ? {} : { stdin }) });
    if (seen.code !== (refused ? 1 : 0)) wrong.push(`${line.join(' ')}: ${seen.code} ${seen.err}`);
    const requests = recorder.take();
    if (requests.length === 0) wrong.push(`${line.join(' ')}: asks no server`);
    for (const request of requests) {
      if (request.path.startsWith('/api/blob/')) continue;
      const stranger = undeclared(description, request);
      if (stranger.length > 0) wrong.push(`${line.join(' ')}: ${request.method} ${request.path} sends ${stranger}`);
    }
    const given = called.get(leaf.path.join(' '));
    for (const word of argv) given?.add(word);
    given?.add('');
    try {
      return JSON.parse(seen.out.split('\n')[0] ?? '');
    } catch {
      return undefined;
    }
  };

  const password = { stdin: PASSWORD };
  const credentials = ['--id', 'root', '--password-stdin', '--otp', '123456', '--otp-authenticator', 'APPAUTH'];
  await run(['login', ...credentials], password);
  await run(['whoami']);
  await run(['auth', 'login', ...credentials], password);
  await run(['auth', 'whoami']);
  const families = await run(['auth', 'token', 'families', 'root']);
  // not that of PLATFORM_TOKEN, which is the oldest one
  await run(['auth', 'token', 'revoke', '--family', families.data[0].id]);
  await run(['auth', 'otp', 'register', ...credentials], password);
  await run(['auth', 'otp', 'recovery-codes', ...credentials], { ...password, refused: true });
  await run(['auth', 'otp', 'status', 'root']);
  await run(['auth', 'token', 'issue', ...credentials], { ...password, refused: true });
  await run(['auth', 'token', 'revoke', '--token-stdin'], { stdin: 'x' });
  await run(['auth', 'explain', '--account', 'root', '--ip', '127.0.0.1']);

  await run(['account', 'password', '--password-stdin'], { stdin: PASSWORD });

  const ann = ['--id', 'ann', '--name', 'Ann', '--email', 'ann@river.example', '--password-stdin'];
  await run(['account', 'create', ...ann], password);
  await run(['auth', 'token', 'revoke', '--account', 'ann']);
  await run(['account', 'list', '--group', 'Administrators', '--administrators', '--without-second-factor']);
  await run(['account', 'list', '--find', 'ann', '--state', 'notActivated']);
  await run(['account', 'show', 'ann']);
  const changes = ['--name', 'A', '--email', 'a@river.example', '--company', 'River', '--phone', '1', '--roles', 'r'];
  await run(['account', 'update', 'ann', ...changes, '--enable', '--password-stdin'], { stdin: 'Seven-bends-9' });
  await run(['account', 'lock', 'ann', '--until', '2099-01-01']);
  await run(['account', 'unlock', 'ann']);
  await run(['account', 'update', 'ann', '--disable']);
  await run(['account', 'activate', 'ann']);
  await run(['account', 'activate', '--token', 'x'], { refused: true });
  await run(['account', 'reset-password', 'ann']);
  await run(['account', 'reset-password', '--token', 'x', '--password-stdin'], {
    stdin: 'Seven-bends-9',
    refused: true,
  });
  await run(['auth', 'otp', 'reset', 'ann']);

  await run(['group', 'create', '--name', 'Staff', '--id', 'staff', '--member', 'ann', '--metadata', '{"a":1}']);
  await run(['group', 'list', '--account', 'ann']);
  await run(['group', 'show', 'staff', '--show-secrets']);
  await run(['group', 'update', 'staff', '--name', 'All', '--member', 'ann', '--metadata', '{}']);
  await run(['group', 'update', 'staff', '--no-members']);
  await run(['group', 'members', 'add', 'staff', 'ann']);
  await run(['group', 'members', 'list', 'staff']);
  await run(['group', 'members', 'remove', 'staff', 'ann']);
  await run(['group', 'set-2fa', 'staff', 'CIDR:10.0.0.0/8', '--new-authenticator', '--preview']);
  await run(['group', 'set-2fa', 'staff', '--none']);
  await run(['group', 'networks', 'add', 'staff', '10.0.0.0/8', '--comment', 'office', '--preview']);
  await run(['group', 'networks', 'add', 'staff', '10.0.0.0/8']);
  await run(['group', 'networks', 'list', 'staff']);
  await run(['group', 'networks', 'remove', 'staff', '10.0.0.0/8', '--preview']);
  for (const verb of ['add', 'replace', 'remove']) await run(['group', 'authenticator', verb, 'staff', '--preview']);
  await run(['group', 'delete', 'staff']);

  const tenant = await run(['tenant', 'create', '--name', 'Sea', '--owner', 'root']);
  await run(['tenant', 'list', '--all']);
  await run(['tenant', 'show', tenant.id]);
  await run(['tenant', 'update', tenant.id, '--name', 'Lake', '--weight', '2', '--recycle-bin-days', '30']);
  await run(['tenant', 'members', 'add', tenant.id, 'ann', '--role', 'Member']);
  await run(['tenant', 'members', 'list', tenant.id]);
  await run(['tenant', 'members', 'list', tenant.id, '--guests']);
  await run(['tenant', 'members', 'remove', tenant.id, 'ann', '--keep-project-roles', '--dry-run']);
  await run(['tenant', 'members', 'remove', tenant.id, 'ann']);
  const pool = tenant.id;
  const terms = ['--expires', '2999-01-01', '--sales-order', 'S', '--billing-reference', 'R'];
  const type = ['--billing-reference-type', 'EXT'];
  const sale = [...terms, ...type, '--billing-reference-tag', 'T'];
  await run(['account', 'update', 'root', '--roles', 'BackOffice,CreditSpender']);
  await run(['credit', 'add', pool, '10', ...sale, '--dry-run']);
  await run(['credit', 'add', pool, '10', ...sale]);
  const past = ['--filter', 'Available', '--at', '2020-01-01'];
  await run(['credit', 'balance', pool, ...past]);
  await run(['credit', 'details', pool, ...past, '--extended', '--limit', '5']);
  await run(['credit', 'balance', '--pool']);
  await run(['credit', 'details', '--pool']);
  await run(['credit', 'details']);
  await run(['credit', 'forecast', pool, '--days', '7']);
  const using = ['--operation', 'o', '--project', randomUUID()];
  await run(['credit', 'reserve', pool, '2', ...using, '--dry-run'], { refused: true });
  await run(['credit', 'spend', pool, '1', ...using, '--dry-run'], { refused: true });
  await run(['credit', 'reserve', pool, '2', '--operation', 'o']);
  await run(['credit', 'explain', 'o', '--tenant', pool]);
  await run(['credit', 'release', pool, 'o', '--dry-run']);
  await run(['credit', 'release', pool, 'o']);
  const narrow = ['--billing-reference', 'R', ...type, '--dry-run'];
  await run(['credit', 'move', '1', '--from', pool, ...narrow]);
  await run(['credit', 'move', '1', '--to', pool, ...narrow], { refused: true });
  await run(['credit', 'spend', pool, '10']);
  await run(['credit', 'expire', '--dry-run']);
  await run(['credit', 'verify']);
  const maps = ['--url', 'https://maps.example', '--response-url', 'https://maps.example/in'];
  const feature = await run(['licence', 'define', 'Maps', '--type', 'Service', ...maps]);
  await run(['licence', 'grant', feature.featureId, pool]);
  await run(['licence', 'list', '--type', 'Service']);
  await run(['licence', 'list', '--tenant', pool, '--type', 'Service']);
  await run(['licence', 'list', '--feature', 'Maps']);
  await run(['licence', 'disable', feature.featureId, pool]);
  await run(['licence', 'enable', feature.featureId, pool]);
  await run(['licence', 'end', feature.featureId, pool]);
  const made = ['--name', 'crawler', '--role', 'Reader', '--expires', '2099-01-01', '--network', '10.0.0.0/8'];
  const key = await run(['key', 'create', ...made]);
  await run(['key', 'list']);
  await run(['key', 'revoke', key.id]);
  await run(['signing-key', 'list']);
  await run(['signing-key', 'rotate']);
  const trail = ['--tenant', pool, '--account', 'root', '--action', 'key', '--since', '1h', '--until', '1m'];
  await run(['audit', 'list', ...trail, '--limit', '1', '--cursor', 'x'], { refused: true });

  const image = join(at.folder, 'image.png');
  await writeFile(image, Buffer.from('89504e470d0a1a0a', 'hex'));
  const level = ['--access-level', 'Private'];
  const project = await run(['project', 'create', '--name', 'Valley', '--description', 'wide', ...level]);
  const below = await run(['project', 'create', '--name', 'Below', '--parent', project.id, '--inherit']);
  const where = ['--kind', 'Project', '--project', 'Valley', '--bbox', '8,54,13,58', '--changed-after', '7d'];
  await run(['search', 'below', ...where, '--limit', '5']);
  await run(['search', 'below', '--cursor', 'x'], { refused: true });
  const beside = await run(['project', 'create', '--name', 'Beside', '--parent', project.id]);
  const order = ['--sort-by', 'Name', '--sort-order', 'Asc', '--limit', '5'];
  await run(['project', 'list', '--parent', project.id, '--name-prefix', 'B', '--role', 'Owner', ...order]);
  await run(['project', 'list', '--cursor', 'x'], { refused: true });
  await run(['project', 'show', project.id]);
  await run(['project', 'update', project.id, '--name', 'Vale', '--description', 'narrow', ...level]);
  await run(['project', 'update', project.id, '--thumbnail', image]);
  await run(['project', 'thumbnail', project.id, '--size', '64', '-o', join(at.folder, 'own.png'), '--force']);
  await run(['project', 'update', project.id, '--no-thumbnail']);
  const csv = join(at.folder, 'level.csv');
  const gauges = ['gauges', '--project', beside.id, '--description', 'of the river', '--property', 'station:Text'];
  const gauge = [(await run(['ts', 'create', ...gauges])).id, 'ribe'];
  const water = ['Level', '--item', 'eumIWaterLevel', '--unit', 'eumUmeter', '--type', 'Single', '--series', 'ribe'];
  await run(['ts', 'add', gauge[0], ...water, '--properties', '{"station":"Ribe"}']);
  await run(['ts', 'list', gauge[0]]);
  const columns = ['--delimiter', ';', '--decimal', ',', '--time-column', '0', '--value-column', '1'];
  await writeFile(csv, '2026-01-24;1,5\n');
  await run(['ts', 'import', ...gauge, csv, ...columns]);
  await run(['ts', 'import', ...gauge, csv, ...columns, '--flag-column', '2'], { refused: true });
  await run(['ts', 'values', ...gauge, '--from', '2026-01-24', '--to', '2026-01-25', '--csv', '--plot']);
  await run(['ts', 'values', ...gauge, '--png', join(at.folder, 'ribe.png')]);
  const levels = join(at.folder, 'levels');
  await run(['ts', 'values', ...gauge, '--from', '2026-01-24', '--to', '2026-01-25', '--output', `${levels}.parquet`]);
  await run(['ts', 'values', ...gauge, '--output', `${levels}.parquet`, '--format', 'netcdf', '--force']);
  await run(['ts', 'delete', ...gauge, '--from', '2026-01-24', '--to', '2026-01-25']);
  const features = [
    '--bbox',
    '1,2,3,4',
    '--bbox-crs',
    'EPSG:4326',
    '--filter',
    'a=1',
    '--properties',
    'a',
    '--crs',
    '25832',
  ];
  await run(['gis', 'show', gauge[0]], { refused: true });
  await run(['gis', 'features', gauge[0], ...features, '--limit', '5'], { refused: true });
  await run(['gis', 'features', gauge[0], '--all'], { refused: true });
  const wells = join(at.folder, 'wells.gpkg');
  await run(['gis', 'features', gauge[0], '--all', '--output', wells, '--force'], { refused: true });
  await run(['gis', 'features', gauge[0], '--output', wells, '--format', 'fgb'], { refused: true });
  await run(['gis', 'feature', gauge[0], '7', '--properties', 'a', '--crs', '25832'], { refused: true });

  const store = await newStore(w, beside.id, { userId, tenantId, id: 'root' }, 'levels');
  await run(['md', 'show', store]);
  const part = ['--item', 'Level', '--from', '2026-01-24', '--to', '2026-01-25', '--srid', '25832'];
  await run(['md', 'values', store, ...part, '--point', '500005,6000005', '--csv']);
  await run(['md', 'values', store, ...part, '--bbox', '500000,6000000,500020,6000030', '--covjson']);
  await run(['md', 'values', store, ...part, '--point', '500005,6000005', '--png', join(at.folder, 'level.png')]);
  const place = ['--point', '500005,6000005'];
  await run(['md', 'values', store, ...part, ...place, '--output', join(at.folder, 'level.nc')]);
  const table = ['--output', join(at.folder, 'level.nc'), '--format', 'parquet', '--force'];
  await run(['md', 'values', store, ...part, ...place, ...table]);
  await run(['md', 'values', store, '--element', '1', '--layer', '0'], { refused: true });
  await run(['md', 'change-item', store, '0', '--name', 'Level']);
  await run(['md', 'change-item', store, 'Level', '--quantity', 'eumIDischarge', '--unit', 'm'], { refused: true });
  await run(['references', store, '--zarr']);
  await run(['references', store], { refused: true });
  await run(['inspect', store]);
  await run(['inspect', store, '--no-statistics', '--reader', 'MDReader', '--param', 'Group=/', '--srid', '25832']);
  // of local files only
  for (const drawing of ['--png', '--item', '--step', '--layer']) called.get('inspect')?.add(drawing);
  await run(['md', 'delete-step', store, '1']);
  await run(['project', 'tree', project.id, '--limit', '5', '--offset', '1', '--datasets']);
  await run(['project', 'explain', project.id, '--account', 'root']);
  await run(['project', 'members', 'add', project.id, 'ann', '--role', 'Reader']);
  await run(['project', 'members', 'list', project.id]);
  await run(['project', 'members', 'set', beside.id, 'root:Owner']);
  await run(['project', 'members', 'inherit', beside.id]);
  await run(['project', 'members', 'remove', project.id, 'ann']);
  await run(['project', 'invite', project.id, 'ann@example.org', '--role', 'Reader']);
  const invitation = await run(['project', 'invite', project.id, 'ann@here', '--login-id']);
  await run(['project', 'invitations', 'list', project.id]);
  await run(['project', 'invitations', 'end', project.id, invitation.id]);
  await run(['invitation', 'list']);
  await run(['invitation', 'accept', invitation.id], { refused: true });
  await run(['invitation', 'accept', '--token', 'unknown'], { refused: true });
  await run(['project', 'move', beside.id, below.id]);

  const grid = join(at.folder, 'grid.asc');
  await writeFile(grid, ASCII_GRID);
  const here = ['--project', project.id];
  await run(['hierarchy', 'mkdir', 'maps/', ...here]);
  const put = await run(['hierarchy', 'put', grid, 'maps/grid.asc', '--raw', ...here]);
  await run(['hierarchy', 'list', ...here]);
  await run(['hierarchy', 'list', 'maps/', ...here]);
  await run(['hierarchy', 'get', 'maps/grid.asc', ...here, '-o', join(at.folder, 'got')]);
  await run(['hierarchy', 'move', 'maps/grid.asc', 'maps/moved.asc', ...here]);
  const actions = join(at.folder, 'actions.json');
  await writeFile(actions, '[{"type":"PathActionCreateIfNotExists","path":"more/","isFolder":true}]');
  await run(['hierarchy', 'apply', actions, ...here]);
  await run(['hierarchy', 'delete', 'more/', ...here]);
  const dataset = put.results[0].datasetId;
  await run(['dataset', 'show', 'Vale/maps/moved.asc']);
  await run(['project', 'show', 'Vale']);
  await run(['dataset', 'list', ...here]);
  await run(['dataset', 'show', dataset]);
  await run(['dataset', 'update', dataset, '--name', 'n', '--description', 'd', '--tag', 't', '--metadata', '{"a":1}']);
  await run(['dataset', 'raw', dataset]);
  await run(['dataset', 'history', dataset, '--limit', '1', '--cursor', 'x'], { refused: true });
  await run(['dataset', 'history', dataset]);
  const small = ['--size', '64', '-o', join(at.folder, 'small.png'), '--force'];
  await run(['dataset', 'thumbnail', dataset, ...small], { refused: true });
  const shown = ['--item', '0', '--step', '0', '--layer', '0', '--colors', '000000,FFFFFF', '--min', '0', '--max', '9'];
  const picture = ['--png', join(at.folder, 'preview.png'), '--wait', '0', '--force'];
  await run(['dataset', 'preview', dataset, ...picture, ...shown], { refused: true });
  await run(['dataset', 'lineage', dataset]);
  await run(['activity', dataset, '--limit', '1', '--cursor', 'x'], { refused: true });
  await run(['activity', project.id]);
  const link = ['--name', 'Consultants', '--expires', '7d', '--downloads', 'Original'];
  const share = await run(['dataset', 'share', dataset, ...link]);
  await run(['share', 'list', '--dataset', dataset]);
  await run(['share', 'list']);
  await run(['share', 'end', share.id]);
  await run(['dataset', 'revoke-grants', dataset]);
  await run(['project', 'revoke-grants', project.id]);
  await run(['dataset', 'download', dataset, '-o', join(at.folder, 'fetched')]);
  await run(['dataset', 'move', dataset, '--project', below.id]);
  await run(['dataset', 'move', dataset, ...here, '--to-tenant', tenant.id], { refused: true });
  await run(['dataset', 'copy', dataset, ...here, '--to-tenant', tenant.id], { refused: true });
  await run(['dataset', 'map', dataset, '--expires', '8h']);
  await run(['dataset', 'map', dataset, '--no-sign']);
  const area = ['--scheme', 'map', '--levels', '14-16', '--bbox', '9,54,10,55', '--time-step', '1', '--layer', '0'];
  await run(['tile', 'status', dataset], { refused: true });
  await run(['tile', 'warm', dataset, ...area], { refused: true });
  await run(['tile', 'check', dataset, '--tiles', '5'], { refused: true });
  await run(['tile', 'urls', dataset, '--expires', '8h']);
  await run(['tile', 'urls', dataset, '--no-sign']);
  const [parcels] = await w.sql<{ id: string }>(
    `insert into datasets (project_id, name, dataset_type, dataset_format, blob, storage_size, created_by, updated_by)
     select project_id, 'parcels', 'gisvectordata', 'gis', 'dataset/none', 1, created_by, updated_by from datasets where id = $1
     returning id`,
    [dataset],
  );
  await run(['tile', 'status', parcels!.id]);
  await run(['tile', 'check', parcels!.id, '--tiles', '5'], { refused: true });

  const system = ['--srid', '25832', '--to-srid', '3857', '--clip', 'POINT (1 2)', '--clip-srid', '4326'];
  const steps = [...system, '--items', '0', '--statistics', '--skip-bad-records'];
  const needs = ['--label', 'gpu', '--memory', '1024', '--cores', '1', '--scratch', '1'];
  const reads = ['--reader', 'AsciiGridReader', '--param', 'Tiled=true', ...steps, ...needs];
  const named = ['--name', 'Grid', '--description', 'd'];
  const writes = ['--writer', 'GeoTiffWriter'];
  const imports = ['transfer', 'import', grid, ...here, ...reads, ...writes, ...named];
  const times = ['--from', '2026-01-24', '--to', '2026-01-25', '--steps', '0-3', '--layers', '1'];
  const size = ['--node-size', 'none', '--max-credits', '5', '--dry-run', ...times];
  const tried = await run([...imports, ...size], { refused: true });
  t.is(tried, undefined);
  const transfer = await run([...imports, '--no-watch']);
  await run(['transfer', 'import', grid, grid, ...here, ...writes, '--mosaic', 'first', '--no-watch']);
  await run(['transfer', 'import', grid, ...here, ...writes, '--stack', 'time', '--parallel', '2', '--no-watch']);
  const cells = ['--cell-size', '25', '--extent', '0,0,9,9', '--like', grid, '--resample', 'average'];
  const lines = [
    '--contours',
    '0,5',
    '--contour-polygons',
    '--profile',
    'LINESTRING (0 0, 1 1)',
    '--profile-spacing',
    '5',
  ];
  const burnt = ['--rasterize', '1', '--all-touched', '--rasterize-method', 'sum'];
  const zones = ['--zones', dataset, '--zone-statistics', 'mean', '--zone-weights', 'coverage', '--zone-id', 'name'];
  const items = ['--rename', '0 = Level', '--measures', '0 = eumIWaterLevel, m'];
  const calculated = ['--calculate', 'depth = a - b', '--keep-items'];
  const transformed = [...cells, ...lines, ...burnt, ...zones, ...items, ...calculated];
  await run([...imports, ...transformed], { refused: true });
  await run(['transfer', 'export', dataset, ...reads, ...writes, ...transformed], { refused: true });
  await run(['transfer', 'convert', dataset, ...reads, ...writes, ...named, ...here, ...transformed], {
    refused: true,
  });
  await run(['transfer', 'update', dataset, grid, ...reads, ...transformed], { refused: true });
  await run(['transfer', 'append', dataset, grid, ...reads, ...transformed], { refused: true });
  await run(['transfer', 'export', dataset, ...reads, ...writes, ...size], { refused: true });
  await run(['transfer', 'convert', dataset, ...reads, ...writes, ...named, ...here, ...size], { refused: true });
  const first = ['--mosaic', 'first', '--parallel', '2'];
  await run(['transfer', 'update', dataset, grid, ...reads, ...first], { refused: true });
  await run(['transfer', 'append', dataset, grid, ...reads, ...first], { refused: true });
  await run(['transfer', 'update', dataset, grid, ...reads, '--stack', 'time'], { refused: true });
  await run(['transfer', 'append', dataset, grid, ...reads, '--stack', 'time'], { refused: true });
  await run(['transfer', 'update', dataset, grid, ...reads, ...size], { refused: true });
  await run(['transfer', 'append', dataset, grid, ...reads, ...size], { refused: true });
  const page = ['--since', '1h', '--until', '2099-01-01', '--limit', '5'];
  await run(['transfer', 'list', '--status', 'Pending', ...page]);
  await run(['transfer', 'show', transfer.id]);
  await run(['transfer', 'why', transfer.id]);
  await run(['job', 'list', '--state', 'waiting', '--task', 'runTransfer', '--tenant', tenantId, '--limit', '5']);
  await run(['job', 'list', '--fingerprint', 'f', '--worker', 'x', '--until', '1h', '--limit', '5']);
  await run(['job', 'list', '--cursor', 'x'], { refused: true });
  await run(['job', 'show', transfer.id]);
  await run(['job', 'why', transfer.id]);
  await run(['transfer', 'cancel', transfer.id]);
  await run(['transfer', 'watch', transfer.id], { refused: true });
  await run(['transfer', 'download', transfer.id, '-o', join(at.folder, 'none')], { refused: true });
  await run(['transfer', 'log', transfer.id, '--level', 'info']);
  await run(['transfer', 'retry', transfer.id, '--dry-run']);
  await run(['transfer', 'retry', transfer.id]);

  await run(['job', 'cancel', transfer.id], { refused: true });
  await run(['job', 'failures', '--tenant', tenantId, '--since', '1h', '--limit', '5']);
  const again = ['--fingerprint', 'f', '--rate', '5/s', '--limit', '5', '--stop-on-fail', '--detach'];
  await run(['job', 'retry', transfer.id, '--dry-run'], { refused: true });
  await run(['job', 'retry', ...again], { refused: true });
  await run(['job', 'retries', '--limit', '5']);
  await run(['job', 'retry-stop', randomUUID()], { refused: true });
  await run(['job', 'drain', '--all', '--timeout', '0s']);
  await run(['job', 'drain', '--list']);
  await run(['job', 'drain', '--end']);
  await run(['job', 'drain', '--host', 'nosuch'], { refused: true });
  await run(['job', 'drain', '--worker', 'nosuch'], { refused: true });
  await run(['job', 'pause', '--message', 'The store is being moved.']);
  await run(['job', 'summary']);
  await run(['job', 'resume']);
  await run(['setting', 'list', '--set']);
  await run(['worker', 'list']);
  await run(['cron', 'list']);
  await run(['cron', 'run', 'cleanUp']);
  await run(['blobs', 'show']);
  const verifying = run(['blobs', 'verify', '--sample', '3'], { refused: true });
  // no worker does it here; a dataset of this test has no bytes, which is listed
  await until(async () => (await w.sql('update blob_verification set finished_at = now() returning id')).length > 0);
  await verifying;
  await run(['blobs', 'sweep']);
  await run(['blobs', 'sweep', '--confirm'], { refused: true });

  await run(['dataset', 'delete', dataset]);
  const listed = ['--mine', '--sort-by', 'Name', '--sort-order', 'Asc', '--limit', '5', '--offset', '0'];
  await run(['recycle-bin', 'list', ...listed]);
  await run(['recycle-bin', 'show', dataset]);
  await run(['recycle-bin', 'preview', dataset]);
  await run(['recycle-bin', 'restore', dataset]);
  await run(['dataset', 'delete', dataset]);
  await run(['recycle-bin', 'restore', dataset, '--to', project.id]);
  await run(['project', 'delete', below.id]);
  await run(['recycle-bin', 'restore', below.id, '--as-root']);
  await run(['project', 'delete', below.id]);
  await run(['recycle-bin', 'purge', below.id]);
  await run(['recycle-bin', 'sweep']);

  await run(['reader', 'list', '--filter', 'All']);
  await run(['reader', 'show', 'GeoTiffReader']);
  await run(['writer', 'list', '--filter', 'All']);
  await run(['writer', 'show', 'GeoTiffWriter']);
  await run([
    'crs',
    'list',
    'utm',
    '--full-text',
    'Denmark',
    '--authority',
    'EPSG',
    '--bbox',
    '5,47,15,55',
    '--limit',
    '2',
  ]);
  await run(['crs', 'show', '25832']);
  await run(['eum', 'list', 'm3/s', '--kind', 'unit']);
  await run(['event', 'list', '--after', '0', '--limit', '1']);
  const chosen = ['--type', 'projectcreated', '--project', project.id];
  await run(['event', 'list', ...chosen, '--limit', '1']);
  await run(['event', 'follow', '--after', '0', ...chosen, '--limit', '1']);
  const secret = { stdin: `whsec_${Buffer.alloc(32, 7).toString('base64')}` };
  const hook = ['webhook', 'create', 'https://192.0.2.1/hook', '--type', 'transferfinished'];
  await run([...hook, '--secret-stdin'], { ...secret, refused: true });
  await run(['webhook', 'list']);
  await run(['webhook', 'show', randomUUID()], { refused: true });
  await run(['webhook', 'deliveries', randomUUID(), '--state', 'Failed', '--limit', '5'], { refused: true });
  await run(['webhook', 'replay', randomUUID(), '--after', '0'], { refused: true });
  await run(['webhook', 'test', randomUUID()], { refused: true });
  const listening = [
    'webhook',
    'listen',
    '--to',
    'http://127.0.0.1:9/',
    '--secret-stdin',
    '--after',
    '0',
    '--limit',
    '1',
  ];
  const [newest] = (await run(['event', 'list', '--limit', '1'])).data;
  await run([...listening, '--type', newest.type], { stdin: `whsec_${Buffer.alloc(32).toString('base64')}` });
  await run(['webhook', 'delete', randomUUID()], { refused: true });
  await run(['tenant', 'delete', tenant.id]);
  await run(['account', 'delete', 'ann']);
  await at.run(['login', ...credentials], { ...password, env });
  await run(['logout']);
  await at.run(['login', ...credentials], { ...password, env });
  await run(['auth', 'logout']);

  for (const { path, command } of all) {
    const given = called.get(path.join(' ')) ?? new Set();
    if (given.size === 0) wrong.push(`${path.join(' ')} has no line in this test`);
    for (const { long, short, hidden } of command.options)
      if (long && !hidden && !NOT_SENT.has(long) && !(short && given.has(short)) && !given.has(long))
        wrong.push(`${path.join(' ')} ${long} has no line in this test`);
  }
  t.deepEqual(wrong, []);
});
