import { hasBidiControls, withoutBidiControls } from '../data/bidi-controls.ts';
import type { Data } from '../data/data.ts';
import { distinctName } from '../data/distinct-name.ts';

const REMARK = 'Characters that change the direction of text were removed from a name in the file.';

interface Named {
  readonly name?: string;
}

/** The data with the names that names in requests may have: people see both in lists. */
export function withCleanNames(data: Data, remark: (sentence: string) => void): Data {
  switch (data.kind) {
    case 'features': {
      const fields = cleaned(data.fields, remark);
      if (fields === data.fields && !hasBidiControls(data.name ?? '')) return data;
      const layer = cleaned([{ name: data.name ?? '' }], remark)[0]!;
      return { ...data, fields, ...(data.name === undefined ? {} : layer) };
    }
    case 'grid': {
      const bands = cleaned(data.bands, remark);
      return bands === data.bands ? data : { ...data, bands };
    }
    case 'mesh': {
      const items = cleaned(data.items, remark);
      return items === data.items ? data : { ...data, items };
    }
    case 'series': {
      const items = cleaned(data.items, remark);
      return items === data.items ? data : { ...data, items };
    }
    case 'array': {
      const items = cleaned(data.items, remark);
      return items === data.items ? data : { ...data, items };
    }
    case 'bytes':
      return data;
  }
}

/** The same list if no name changes. A name that another one has, too, gets a number. */
function cleaned<One extends Named>(list: readonly One[], remark: (sentence: string) => void): readonly One[] {
  if (!list.some(({ name = '' }) => hasBidiControls(name))) return list;
  const usedNames = new Set(list.flatMap(({ name }) => name ?? []));
  return list.map((one) => {
    if (one.name === undefined || !hasBidiControls(one.name)) return one;
    remark(REMARK);
    return { ...one, name: distinctName(withoutBidiControls(one.name), usedNames) };
  });
}
