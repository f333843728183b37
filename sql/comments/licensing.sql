comment on table features is
  'Features that tenants license. Settings name those that a route or a transfer needs; see '
  '`src/licensing/gates.ts`.';
comment on column features.row_version is 'Raised by each change; clients send it back to detect changes by others.';

comment on table feature_licences is 'Which tenants have licensed which features.';
comment on column feature_licences.row_version is
  'Raised by each change; clients send it back to detect changes by others.';
