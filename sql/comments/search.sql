comment on table search_entries is
  'An entry for each project and dataset, deleted or not, for the search. Filled by the triggers `search_…` of the '
  'tables. No foreign keys: statements remove many entries at once.';
comment on column search_entries.id is '`projects.id` or `datasets.id`.';
comment on column search_entries.project_id is 'The project itself, or that of the dataset.';
comment on column search_entries.tenant_id is '`projects.tenant_id` of the project.';
comment on column search_entries.member_source_id is '`projects.member_source_id` of the project.';
comment on column search_entries.name is 'Folded words of the name, separated by blanks (`search_name`).';
comment on column search_entries.words is
  'Folded words of name, description, tags, items and metadata (`search_words`). Names of deleted series stay until '
  'the dataset changes.';
comment on column search_entries.areas is
  'Boxes of the rings of the location in degrees, longitude as x, which may run on beyond 180.';
