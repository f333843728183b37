import { findReader, parseTransformations, sideInputsOf } from 'hydrofiles';
import { SERIES_FORMAT } from 'hydrofiles/series';
import { readableDataset } from '../../datasets/access.ts';
import { downloadName } from '../../datasets/download-name.ts';
import type { VisibleDataset } from '../../datasets/queries.ts';
import type { Transaction } from '../../db.ts';
import { forbidden, invalidMember, notFound } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import { isUuid } from '../../platform/text/uuid.ts';
import { decodedOnce } from '../../uploads/address.ts';
import { type Sources, shownAddress } from '../sources/sources.ts';
import { keepInputFile } from './input-file.ts';
import type { OtherInput } from './start.queries.ts';
import type { Planned } from './start.ts';

interface Kept {
  plan: Planned;
  /** Readers that the transformations name. */
  readerNames: string[];
  warnings: string[];
  /** Of all of them; those of remote files are not known. */
  sizes: (number | undefined)[];
}

/**
 * Keeps the uploads, addresses and datasets that the transformations of a plan name, for its transfer. A dataset is
 * locked against changes until the transfer ends. Signed and secret parts of addresses are not stored.
 */
export async function keepSideInputs(
  tx: Transaction,
  caller: Caller,
  sources: Sources,
  plan: Planned,
  dryRun: boolean,
): Promise<Kept> {
  // a copy of bytes ignores transformations, also those that cannot be parsed
  if (findReader(plan.request.readerName)?.produces === 'bytes')
    return { plan: withoutSecrets(plan), readerNames: [], warnings: [], sizes: [] };
  const named = sideInputsOf(parseTransformations(plan.request.transformations));
  if (named.length === 0) return { plan, readerNames: [], warnings: [], sizes: [] };
  const others: OtherInput[] = [];
  const sideInputs: { key: string; name: string }[] = [];
  const shownAddresses = new Map<string, string>();
  const warnings: string[] = [];
  const sizes: (number | undefined)[] = [];
  // in one order, so that transfers that name the same datasets do not wait for each other
  const datasets = new Set(named.flatMap(({ from, key }) => (from === 'datasetId' ? [key] : [])));
  for (const key of [...datasets].sort()) {
    const dataset = await keepDataset(tx, caller, plan.tenantId, key);
    others.push({ key, datasetId: key });
    sideInputs.push({ key, name: downloadName(dataset) });
    sizes.push(dataset.storageSize);
  }
  const addresses = new Set(named.flatMap(({ from, key }) => (from === 'uploadUrl' ? [key] : [])));
  for (const address of addresses) {
    const given = named.find(({ key, originalFileName }) => key === address && originalFileName !== undefined);
    const file = await keepInputFile(tx, caller, sources, { originalFileName: '', uploadUrl: address }, dryRun);
    const { uploadUrl: shown } = file.request;
    const same = others.filter(({ key }) => key?.split('#')[0] === shown).length;
    const key = same === 0 ? shown : `${shown}#${same + 1}`;
    others.push({ ...file.columns, key });
    sideInputs.push({ key, name: given?.originalFileName || decodedName(shown) });
    sizes.push(file.size);
    shownAddresses.set(address, key);
    warnings.push(...file.warnings);
  }
  const transformations = plan.request.transformations.map((one) =>
    withAddresses(one, (address) => shownAddresses.get(address) ?? address),
  );
  return {
    plan: {
      ...plan,
      others: [...(plan.others ?? []), ...others],
      request: { ...plan.request, transformations, sideInputs },
    },
    readerNames: named.flatMap(({ readerName }) => readerName ?? []),
    warnings,
    sizes,
  };
}

/** Checks and locks a dataset that a transformation names. */
export async function keepDataset(
  tx: Transaction,
  caller: Caller,
  tenantId: string,
  id: string,
): Promise<VisibleDataset> {
  if (!isUuid(id)) throw notFound('Dataset', id);
  const found = await readableDataset(tx, caller, id);
  if (found.tenantId !== tenantId)
    throw forbidden(`A transformation cannot read dataset '${id}' of another tenant. Copy it first.`);
  if (found.datasetFormat === SERIES_FORMAT)
    throw invalidMember('transformations', `Dataset '${id}' holds time series, which no transformation reads.`);
  return found;
}

function decodedName(address: string): string {
  const segment = address.slice(address.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The plan with addresses of its transformations as they may be shown; those that are none are left out. */
function withoutSecrets(plan: Planned): Planned {
  const shown = (address: string) => {
    const plain = decodedOnce(address);
    return URL.canParse(plain) ? shownAddress(new URL(plain)) : '';
  };
  const transformations = plan.request.transformations.map((one) => withAddresses(one, shown));
  return { ...plan, request: { ...plan.request, transformations } };
}

/** A transformation whose members `uploadUrl`, in any letter case, have other values. */
function withAddresses(value: unknown, shown: (address: string) => string): unknown {
  if (Array.isArray(value)) return value.map((one) => withAddresses(one, shown));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) =>
      typeof member === 'string' && name.toLowerCase() === 'uploadurl'
        ? [name, shown(member)]
        : [name, withAddresses(member, shown)],
    ),
  );
}
