comment on table projects is 'Projects and subprojects: a tree for each root project.';
comment on column projects.parent_id is 'Null: a root project.';
comment on column projects.root_id is
  'Itself for a root project. No foreign key: a move would check it for each of many projects.';
comment on column projects.path is 'Ids from the root to this project, both included.';
comment on column projects.member_source_id is
  'The nearest of this project and its ancestors that does not inherit members: whose `project_members` count here. '
  'No foreign key, as `root_id`.';
comment on column projects.permissions is
  'Permissions as they were written. The triggers `projects_permissions_…` copy them to `permission_grants`.';
comment on column projects.row_version is 'Raised by each change; clients send it back to detect changes by others.';
comment on column projects.deleted_at is
  'Time at which this project itself was deleted. Null does not mean visible: an ancestor may be deleted. The '
  'triggers `projects_binned…` copy it to `recycle_bin`.';
comment on column projects.min_grant_generation is
  'Signed addresses of an earlier generation are void for all that is in this project. See `grant_generations`.';

comment on table project_members is 'Members of projects that do not inherit members.';
comment on column project_members.user_id is '`accounts.user_id`, or `api_keys.id` of a key.';
comment on column project_members.account_id is
  '`user_id` of an account. A foreign key, so that the membership ends with the account.';
comment on column project_members.key_id is
  '`user_id` of an API key. A foreign key, so that the membership ends with the key.';

comment on table project_thumbnails is 'Pictures of projects, in a table of their own so that lists do not read them.';

comment on table permission_grants is
  'The permissions of projects and datasets, a row for each principal and operation, for searches by principal. The '
  'truth is `permissions` of the entity; the triggers `…_permissions_made` and `…_permissions_changed` fill this '
  'table.';
comment on column permission_grants.project_id is 'Null: of a dataset.';
comment on column permission_grants.dataset_id is 'Null: of a project.';
comment on column permission_grants.principal is 'User id, login id or group name, as it was written.';
comment on column permission_grants.denied is 'True: takes the operation away; false: allows it.';
comment on column permission_grants.folded_principal is 'Unicode case folding of `principal`.';

comment on table grant_generations is
  'One row: the number of the last commit that made signed addresses void. Signed addresses contain a generation '
  'instead of a time: a move that is under way has no time yet. Read it before, or in the statement with, the '
  'rights.';
comment on column grant_generations.one is 'Always true: the table has one row.';
comment on column grant_generations.generation is
  'Raised by each change that makes addresses void, which locks the row until its commit.';

comment on table activity is
  'Who did what to projects and datasets. The triggers `projects_activity_…` and `datasets_activity_…` and the '
  'function `record_activity` fill it in the transaction of the change; the runtime role changes nothing of it. An '
  'entry ends with its project or dataset.';
comment on column activity.user_id is '`accounts.user_id`, or the id of an API key. Null: the platform.';
comment on column activity.project_id is
  'Whose readers may see it. Of a deletion for good: the project above. Null: `dataset_id`.';
comment on column activity.dataset_id is 'Whose readers may see it. Null: `project_id`.';
comment on column activity.subject_name is 'As it was then. Null: an account or API key.';
comment on column activity.from_project_id is
  'Of a move: the project before. Shown to those who see that project. Without a foreign key, as the next.';
comment on column activity.to_project_id is 'Of a move: the project after.';
comment on column activity.changed is 'Names of the members that changed.';
comment on column activity.before is 'Their plain values, texts of at most 301 characters. Never secrets.';
comment on column activity.restricted is
  'True: only Owners of the tenant see it. A deletion for good of what not all readers of the project above could see.';
comment on column activity.transfer_id is '`transfers.id` of the transfer that wrote the content. Null: none did.';

comment on table activity_places is
  'The projects whose activity an entry is part of: the project itself, or that of the dataset, and those above, as they '
  'were; of a move, before and after. No foreign key: entries would lock the projects above.';

comment on table project_invitations is
  'Invitations to projects. Each gives one person a role, within seven days, if who invites may still grant access.';
comment on column project_invitations.project_id is
  'Null: the project was purged. The invitation stays for the limits of a day; nobody can accept it.';
comment on column project_invitations.email is 'Whoever has the token that was mailed to this address may accept.';
comment on column project_invitations.login_id is 'As it was entered, whether an account has it or not.';
comment on column project_invitations.user_id is
  'Account with `login_id` at the time of the invitation, who alone may accept. Null if there was none.';
comment on column project_invitations.created_by is 'Account or API key.';
comment on column project_invitations.ended_by is 'Null: it had expired when the address was invited again.';

comment on table project_invitation_tokens is
  'Tokens of mails with invitations. A mail that was sent again has several.';
comment on column project_invitation_tokens.hash is 'SHA-256 of the token, which is in the mail only.';
