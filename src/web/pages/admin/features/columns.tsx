import type { FeatureDefinition } from '../../../client/api.ts';
import type { Column } from '../../../parts/table.tsx';
import { featureTexts as words } from '../../../texts/features.ts';

/** What a feature is, for those who define it and those who have licensed it. */
export const featureColumns: readonly Column<Pick<FeatureDefinition, 'name' | 'url' | 'type'>>[] = [
  {
    key: 'name',
    title: words.name,
    cell: ({ name, url }) => (
      <>
        <b>{name}</b>
        {url && <div class="small quiet">{url}</div>}
      </>
    ),
  },
  { key: 'type', title: words.type, cell: ({ type }) => words.types[type] },
];
