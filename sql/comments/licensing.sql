comment on table features is
  'Features that tenants license. Settings name those that a route or a transfer needs; see '
  '`src/licensing/gates.ts`.';

comment on table feature_licences is 'Which tenants have licensed which features.';
