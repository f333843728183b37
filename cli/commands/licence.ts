import type { Command } from 'commander';
import { isUuid, moment, record, table } from 'hydrofiles/terminal';
import type { List } from '../../src/http/rules/paging.ts';
import type { Enabled, Feature, FeatureTenant, LicensedFeature } from '../../src/licensing/routes.ts';
import { askFor } from '../ask.ts';
import type { Io } from '../io.ts';
import { findTenantId } from '../names.ts';
import { choice } from '../options.ts';

const TYPES = ['Application', 'Service'];

export function licenceCommands(licence: Command, io: Io): void {
  licence
    .command('define [name]')
    .description('define a feature that tenants can license (editors)')
    .addOption(choice('--type <type>', 'type of the feature', TYPES))
    .option('--url <url>', 'address of the application')
    .option('--response-url <url>', 'address that a login returns to')
    .action((name, options) => defineFeature(io, name, options));
  for (const end of [false, true])
    licence
      .command(end ? 'end' : 'grant')
      .description(
        end ? 'end the licence of a tenant (administrators)' : 'license a feature to a tenant (administrators)',
      )
      .argument('[feature]', 'name or id')
      .argument('[tenant]')
      .action((name, tenant) => license(io, name, tenant, { end }));
  // the one verb of both in older versions
  licence
    .command('license', { hidden: true })
    .argument('[feature]', 'name or id')
    .argument('[tenant]')
    .option('--end', 'end the licence')
    .action((name, tenant, options) => license(io, name, tenant, options));
  for (const enabled of [true, false])
    licence
      .command(enabled ? 'enable' : 'disable')
      .description(`${enabled ? 'enable' : 'disable'} a licensed feature of a tenant (its owners)`)
      .argument('[feature]', 'name or id')
      .argument('[tenant]')
      .action((name, tenant) => switchFeature(io, name, tenant, enabled));
  licence
    .command('list')
    .description('list the features, those that a tenant has licensed, or the tenants of one')
    .option('--tenant <id>', 'licensed features of this tenant')
    .option('--feature <name>', 'name or id: tenants that have licensed it (administrators)')
    .addOption(choice('--type <type>', 'only features of this type', TYPES))
    .action((options) => listFeatures(io, options));
}

const PATH = '/api/admin/feature';
const licencePath = (id: string, tenant: string) =>
  `${PATH}/${encodeURIComponent(id)}/tenant/${encodeURIComponent(tenant)}`;

const tenantOr = async (io: Io, given: string | undefined) =>
  given ?? findTenantId(io, await askFor(io, 'Tenant (name or id):', 'Name the tenant'));

/** Owners of a tenant see its licensed features, editors all. */
async function findFeatureId(io: Io, given: string | undefined, tenant: string | undefined): Promise<string> {
  const name = given ?? (await askFor(io, 'Feature (name or id):', 'Name the feature'));
  if (isUuid(name)) return name;
  const answer =
    tenant === undefined
      ? await io.api.call<List<Feature>>('GET', PATH)
      : await io.api.call<List<Feature>>('GET', `${PATH}/tenant/list`, { headers: { 'svc-project-id': tenant } });
  const found = answer.body.data.find((one) => one.name === name);
  if (!found) throw new Error(`There is no feature '${name}', or you may not see it.`);
  return found.featureId;
}

function typeNamed(text: string): string {
  const found = TYPES.find((type) => type.toLowerCase() === text.toLowerCase());
  if (found === undefined) throw new Error(`'${text}' is not one of ${TYPES.join(' and ')}.`);
  return found;
}

interface Definition {
  type?: string;
  url?: string;
  responseUrl?: string;
}

async function defineFeature(io: Io, given: string | undefined, { type, url, responseUrl }: Definition): Promise<void> {
  const body = {
    name: given ?? (await askFor(io, 'Name:', 'Name the feature')),
    type: type ?? (await askFor(io, `Type (${TYPES.join(' or ')}):`, 'Use --type', typeNamed)),
    url,
    responseUrl,
  };
  const answer = await io.api.call<Feature>('POST', PATH, { body });
  io.show(answer, ({ featureId, name, type }) => record({ id: featureId, name, type }));
}

async function license(io: Io, name: string | undefined, given: string | undefined, { end }: { end?: boolean }) {
  const id = await findFeatureId(io, name, undefined);
  const tenant = await tenantOr(io, given);
  const answer = await io.api.call(end ? 'DELETE' : 'PUT', `${licencePath(id, tenant)}/license`);
  const done = { featureId: id, tenantId: tenant, licensed: !end };
  io.show(answer, () => (end ? 'The licence is ended.' : 'The feature is licensed.'), done);
}

async function switchFeature(io: Io, name: string | undefined, given: string | undefined, enabled: boolean) {
  const tenant = await tenantOr(io, given);
  const id = await findFeatureId(io, name, tenant);
  const answer = await io.api.call<Enabled>('PATCH', licencePath(id, tenant), {
    body: { enabled },
    headers: { 'svc-project-id': tenant },
  });
  io.show(answer, (now) => `The feature is ${now.enabled ? 'enabled' : 'disabled'}.`);
}

interface ListOptions {
  tenant?: string;
  feature?: string;
  type?: string;
}

async function listFeatures(io: Io, { tenant, feature, type }: ListOptions): Promise<void> {
  if (feature !== undefined) return listTenants(io, await findFeatureId(io, feature, undefined));
  if (tenant === undefined) {
    const answer = await io.api.call<List<Feature>>('GET', PATH, { query: { featureType: type } });
    io.show(answer, ({ data }) => show(data));
    return;
  }
  const answer = await io.api.call<List<LicensedFeature>>('GET', `${PATH}/tenant/list`, {
    headers: { 'svc-project-id': tenant },
    query: { featureType: type },
  });
  io.show(answer, ({ data }) => show(data));
}

async function listTenants(io: Io, id: string): Promise<void> {
  const answer = await io.api.call<List<FeatureTenant>>('GET', `${PATH}/${encodeURIComponent(id)}/tenant`);
  io.show(answer, ({ data }) =>
    table(
      ['TENANT', 'NAME', 'ENABLED', 'LICENSED'],
      data.map(({ tenantId, name, enabled, licensedAt }) => [
        tenantId,
        name,
        enabled ? 'yes' : 'no',
        moment(licensedAt),
      ]),
    ),
  );
}

const show = (features: readonly (Feature & { enabled?: boolean })[]) =>
  table(
    ['ID', 'NAME', 'TYPE', 'ENABLED', 'URL'],
    features.map(({ featureId, name, type, enabled, url }) => [
      featureId,
      name,
      type,
      enabled === undefined ? '' : enabled ? 'yes' : 'no',
      url,
    ]),
  );
