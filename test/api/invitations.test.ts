import test, { type ExecutionContext } from 'ava';
import { sendAccountMail } from '../../src/accounts/send-mail.ts';
import { loggedUrl } from '../../src/platform/telemetry/log.ts';
import { deleteOldInvitations } from '../../src/projects/invitations/queries.ts';
import { makeFolder, makeProject, roleOf } from '../world/projects.ts';
import { ownWorld, type User } from '../world.ts';

const w = ownWorld(test, { publicUrl: 'https://data.example.org/platform/' });
const OWN = '/api/iam/invitation';
const path = (projectId: string) => `/api/metadata/project/${projectId}/invitation`;
const EMAIL = 'ann@example.org';

interface Mail {
  to: string;
  subject: string;
  text: string;
}

/** Sends the mails that wait, as a worker does; returns those to this address. */
async function mailsTo(address: string): Promise<Mail[]> {
  const sent: Mail[] = [];
  const mailer = { send: async (mail: Mail) => void sent.push(mail) };
  const waiting = await w.sql<{ id: string }>(`select id from account_mails where recipient = $1 order by id`, [
    address,
  ]);
  for (const { id } of waiting) await sendAccountMail({ db: w.db, mailer, settings: w.config, log: console }, id);
  return sent;
}
const tokenIn = ({ text }: Mail) => /\/signin\?invitation=([\w-]+)\n/.exec(text)?.[1] ?? '';

async function people() {
  const [owner, guest, ann] = [await w.account(), await w.account({ tenantId: await w.tenant() }), await w.account()];
  const { id } = await makeProject(w, owner);
  return { owner, guest, ann, id };
}

async function invite(t: ExecutionContext, owner: User, projectId: string, whom: object, role = 'Contributor') {
  const { status, body } = await w.as(owner).post(path(projectId), { ...whom, role });
  t.is(status, 201, JSON.stringify(body));
  return body.id as string;
}

let addresses = 0;
/** Invites an address of its own, and returns the token of the mail. */
async function mailed(t: ExecutionContext, owner: User, projectId: string, role = 'Contributor') {
  const email = `person${addresses++}@example.org`;
  const id = await invite(t, owner, projectId, { email }, role);
  const [mail] = await mailsTo(email);
  return { id, email, token: tokenIn(mail!), mail: mail! };
}
const accept = (user: User, given: { token: string } | { id: string }) =>
  w.as(user).post(`${OWN}/accept`, 'token' in given ? { token: given.token } : { id: given.id });

async function refused(t: ExecutionContext, user: User, given: { token: string } | { id: string }, why: string) {
  const { status, body } = await accept(user, given);
  t.deepEqual([status, body.code], [404, 'InvitationNotValid'], why);
  const unknown = (await accept(user, { token: 'unknown' })).body;
  t.is(body.detail, unknown.detail, why);
}

test('an invitation is mailed with a link, and whoever has the link becomes a member, once', async (t) => {
  const { owner, ann, id } = await people();
  const { token, mail, email } = await mailed(t, owner, id);
  t.is(mail.to, email);
  t.true(mail.text.includes(`https://data.example.org/platform/signin?invitation=${token}\n`), mail.text);
  t.true(mail.text.includes(`platform invitation accept --token ${token}`));
  t.true(Buffer.from(token, 'base64url').length >= 16);
  const answer = await accept(ann, { token });
  t.is(answer.status, 200, JSON.stringify(answer.body));
  t.like(answer.body, { projectId: id, role: 'Contributor' });
  t.is(await roleOf(w, ann, id), 'Contributor');
  await refused(t, ann, { token }, 'accepted before');
  await refused(t, await w.account(), { token }, 'accepted by somebody else');
  const [shown] = (await w.as(owner).get(path(id))).body.data;
  t.like(shown, { email, role: 'Contributor', status: 'accepted', acceptedBy: ann.userId });
  const stored = JSON.stringify(
    await w.sql('select i.*, encode(t.hash, $1) from project_invitations i join project_invitation_tokens t on true', [
      'hex',
    ]),
  );
  t.false(stored.includes(token));
  t.is(loggedUrl(`/signin?invitation=${token}`), '/signin?invitation=[secret]');
});

test('an invitation by login id needs no mail: its holder finds it and accepts it, nobody else', async (t) => {
  const { owner, ann, id } = await people();
  const invitation = await invite(t, owner, id, { loginId: ann.id.toUpperCase() }, 'reader');
  const { data } = (await w.as(ann).get(OWN)).body;
  t.is(data.length, 1);
  t.like(data[0], { id: invitation, projectId: id, role: 'Reader', createdBy: owner.userId });
  await refused(t, owner, { id: invitation }, 'of another account');
  t.is((await accept(ann, { id: invitation })).status, 200);
  t.is(await roleOf(w, ann, id), 'Reader');
  t.deepEqual((await w.as(ann).get(OWN)).body.data, []);
  await refused(t, ann, { id: invitation }, 'accepted before');
});

test('the answer tells nothing about accounts', async (t) => {
  const { owner, ann, id } = await people();
  const known = 'known@example.org';
  await w.sql('update accounts set email = $2 where user_id = $1', [ann.userId, known]);
  const shape = async (whom: object) => {
    const { status, body, headers } = await w.as(owner).post(path(id), { ...whom, role: 'Reader' });
    return { status, members: Object.keys(body), headers: Object.keys(headers).sort() };
  };
  t.deepEqual(await shape({ email: known }), await shape({ email: 'nobody@example.org' }));
  t.deepEqual(await shape({ loginId: ann.id }), await shape({ loginId: 'nobody-has-this' }));
  const listed = (await w.as(owner).get(path(id))).body.data;
  t.is(listed.length, 4);
  t.is(
    new Set(
      listed.map((one: object) =>
        Object.keys(one)
          .filter((name) => !/email|loginId/.test(name))
          .join(),
      ),
    ).size,
    1,
  );
  const words = ({ text }: Mail) => text.replace(/[\w-]{20,}/g, '');
  const [one, other] = [await mailsTo(known), await mailsTo('nobody@example.org')];
  t.is(words(one[0]!), words(other[0]!));
  await w.as(await w.administrator()).send({ method: 'DELETE', url: `/api/accounts/${ann.id}` });
  t.is((await w.as(owner).get(path(id))).body.data.length, 4, 'a deleted account');
});

test('who may not change members may not invite, list or end; who does not see the project gets 404', async (t) => {
  const { owner, ann, guest, id } = await people();
  const invitation = await invite(t, owner, id, { email: EMAIL });
  await w.as(owner).post(`/api/metadata/project/${id}/member`, { userId: ann.userId, role: 'Contributor' });
  for (const [user, status] of [
    [ann, 403],
    [guest, 404],
  ] as const) {
    t.is((await w.as(user).post(path(id), { email: 'x@example.org', role: 'Reader' })).status, status);
    t.is((await w.as(user).get(path(id))).status, status);
    t.is((await w.as(user).delete(`${path(id)}/${invitation}`)).status, status);
  }
  const { id: other } = await makeProject(w, owner);
  t.is((await w.as(owner).delete(`${path(other)}/${invitation}`)).status, 404, 'of another project');
});

test('a wrong request is refused with a sentence', async (t) => {
  const { owner, ann, id } = await people();
  for (const body of [
    { role: 'Reader' },
    { email: EMAIL, loginId: 'ann', role: 'Reader' },
    { email: 'no address', role: 'Reader' },
    { email: EMAIL, role: 'King' },
    { loginId: ' ', role: 'Reader' },
  ])
    t.is((await w.as(owner).post(path(id), body)).status, 400, JSON.stringify(body));
  t.is((await w.as(ann).post(`${OWN}/accept`, {})).status, 400);
  t.is((await w.as(ann).post(`${OWN}/accept`, { token: 'a', id })).status, 400);
});

test('an invitation that was ended, has expired, or whose project is deleted or purged is not accepted', async (t) => {
  const { owner, ann, id } = await people();
  const ended = await mailed(t, owner, id);
  t.is((await w.as(owner).delete(`${path(id)}/${ended.id}`)).status, 204);
  t.is((await w.as(owner).delete(`${path(id)}/${ended.id}`)).status, 204, 'again');
  await refused(t, ann, ended, 'ended');
  const expired = await mailed(t, owner, id);
  await w.sql('update project_invitations set expires_at = now() where id = $1', [expired.id]);
  await refused(t, ann, expired, 'expired');
  t.deepEqual(
    (await w.as(owner).get(path(id))).body.data.map(({ status }: { status: string }) => status),
    ['expired', 'ended'],
  );
  const open = await mailed(t, owner, id);
  const own = await invite(t, owner, id, { loginId: ann.id });
  await w.as(owner).delete(`/api/metadata/project/${id}`);
  await refused(t, ann, open, 'in the recycle bin');
  await refused(t, ann, { id: own }, 'in the recycle bin');
  t.deepEqual((await w.as(ann).get(OWN)).body.data, []);
  await w.sql('delete from projects where id = $1', [id]);
  await refused(t, ann, open, 'purged');
  t.deepEqual(await w.sql('select from project_invitations where project_id = $1', [id]), []);
});

test('who has invited must still be able to add members when the invitation is accepted', async (t) => {
  const { owner, ann, id } = await people();
  const inviter = await w.account();
  const { token } = await (async () => {
    await w.as(owner).post(`/api/metadata/project/${id}/member`, { userId: inviter.userId, role: 'Owner' });
    return mailed(t, inviter, id);
  })();
  const own = await invite(t, inviter, id, { loginId: ann.id });
  await w.as(owner).post(`/api/metadata/project/${id}/member`, { userId: inviter.userId, role: 'Reader' });
  await refused(t, ann, { token }, 'Reader now');
  await refused(t, ann, { id: own }, 'Reader now');
  t.deepEqual((await w.as(ann).get(OWN)).body.data, []);
  await w.as(owner).post(`/api/metadata/project/${id}/member`, { userId: inviter.userId, role: 'Owner' });
  await w.sql('update accounts set enabled = false where user_id = $1', [inviter.userId]);
  await refused(t, ann, { token }, 'disabled');
  await w.sql('update accounts set enabled = true where user_id = $1', [inviter.userId]);
  t.is((await accept(ann, { token })).status, 200);
});

test('a guest is invited only by who may add guests', async (t) => {
  const { owner, ann, guest, id } = await people();
  const { token } = await mailed(t, owner, id);
  t.is((await accept(guest, { token })).status, 200);
  t.is(await roleOf(w, guest, id), 'Contributor');
  // Owner of a subproject alone
  const folder = await makeFolder(w, owner, id);
  await w.as(owner).put(`/api/metadata/project/${folder.id}/members`, {
    members: [
      { userId: owner.userId, role: 'Owner' },
      { userId: ann.userId, role: 'Owner' },
    ],
  });
  const below = await mailed(t, ann, folder.id);
  const stranger = await w.account({ tenantId: await w.tenant() });
  const { status, body } = await accept(stranger, below);
  t.deepEqual([status, body.code], [403, 'GuestsNotAllowed']);
  t.is((await accept(await w.account(), below)).status, 200, 'the refusal did not use it up');
});

test('a member keeps a greater role, and a subproject stops inheriting only for a new one', async (t) => {
  const { owner, ann, id } = await people();
  const folder = await makeFolder(w, owner, id);
  const answer = await accept(owner, await mailed(t, owner, folder.id, 'Reader'));
  t.deepEqual([answer.status, answer.body.role], [200, 'Owner']);
  t.true((await w.as(owner).get(`/api/metadata/project/${folder.id}`)).body.inheritsMembers);
  await accept(ann, await mailed(t, owner, folder.id, 'Reader'));
  t.deepEqual([await roleOf(w, ann, folder.id), await roleOf(w, owner, folder.id)], ['Reader', 'Owner']);
  t.is((await w.as(ann).get(`/api/metadata/project/${id}`)).status, 404);
  t.is((await accept(ann, await mailed(t, owner, folder.id, 'Owner'))).body.role, 'Owner');
});

test('of two people who accept at once one becomes a member; of two invitations at once one is made', async (t) => {
  const { owner, ann, id } = await people();
  const { token } = await mailed(t, owner, id);
  const answers = await Promise.all([ann, await w.account(), ann].map((user) => accept(user, { token })));
  t.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404]);
  t.is((await w.as(owner).get(`/api/metadata/project/${id}/member`)).body.data.length, 2);
  const again = { email: 'twice@example.org', role: 'Reader' };
  const made = await Promise.all(
    ['twice@example.org', 'Twice@Example.org', 'twice@example.org'].map((email) =>
      w.as(owner).post(path(id), { ...again, email }),
    ),
  );
  t.deepEqual(made.map(({ status }) => status).sort(), [201, 409, 409]);
  t.is(made.find(({ status }) => status === 409)?.body.code, 'InvitationExists');
  await w.sql(`update project_invitations set expires_at = now() where email ilike 'twice@example.org'`);
  t.is((await w.as(owner).post(path(id), again)).status, 201, 'after it has expired');
});

test('a project, a person and an address have limits by day, exact for requests at once', async (t) => {
  const { owner, id } = await people();
  const email = 'flooded@example.org';
  for (let n = 0; n < 7; n++) await invite(t, owner, (await makeProject(w, owner)).id, { email });
  t.is((await mailsTo(email)).length, 5, 'the answer is the same, but no more mails are sent');
  const purged = (await makeProject(w, owner)).id;
  for (let n = 0; n < 6; n++) {
    const one = await invite(t, owner, purged, { email: 'again@example.org' });
    t.is((await w.as(owner).delete(`${path(purged)}/${one}`)).status, 204);
  }
  await w.sql('delete from projects where id = $1', [purged]);
  await invite(t, owner, id, { email: 'again@example.org' });
  const mails = await w.sql(`select from account_mails where recipient = 'again@example.org'`);
  t.is(mails.length, 5, 'neither ending them nor purging their project makes room for more mails');
  const fill = (count: number, column: string) =>
    w.sql(
      `insert into project_invitations (project_id, email, role, created_by)
       select $1, $3 || n || '@example.org', 'Reader', $2 from generate_series(1, $4::int) n`,
      [id, column === 'project' ? owner.userId.replace(/^.{8}/, 'ffffffff') : owner.userId, column, count],
    );
  await fill(47, 'project');
  const one = (n: number) => w.as(owner).post(path(id), { email: `many${n}@example.org`, role: 'Reader' });
  const answers = await Promise.all([1, 2, 3, 4].map(one));
  t.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 429, 429]);
  const refusal = answers.find(({ status }) => status === 429);
  t.is(refusal?.body.code, 'TooManyInvitations');
  t.true(Number(refusal?.headers['retry-after']) > 80_000);
  await fill(84, 'person');
  const other = (await makeProject(w, owner)).id;
  const last = await w.as(owner).post(path(other), { email: 'last@example.org', role: 'Reader' });
  t.is(last.status, 429, 'sixteen and 84 of this person');
});

test('audit trail, activity and events tell of invitations, without the address for readers', async (t) => {
  const { owner, ann, id } = await people();
  const { token, id: invitation, email } = await mailed(t, owner, id);
  const other = await mailed(t, owner, id);
  await w.as(owner).delete(`${path(id)}/${other.id}`);
  await accept(ann, { token });
  const audit = await w.sql<{ action: string; details: { email?: string } }>(
    `select action, details from audit where subject = $1 order by id`,
    [invitation],
  );
  t.deepEqual(
    audit.map(({ action }) => action),
    ['project.invitation.create', 'project.invitation.accept'],
  );
  t.is(audit[0]?.details.email, email);
  const activity = (await w.as(ann).get(`/api/metadata/project/${id}/activity`)).body.data;
  t.deepEqual(activity.map(({ action, by }: { action: string; by: string }) => [action, by]).slice(0, 4), [
    ['project.member.set', ann.userId],
    ['project.invitation.end', owner.userId],
    ['project.invitation.create', owner.userId],
    ['project.invitation.create', owner.userId],
  ]);
  t.false(JSON.stringify(activity).includes('@example.org'));
  const { body } = await w
    .as(ann)
    .get('/api/eventing/event/list?limit=1000&after=0&types=svc.platform.events.memberschangedevent');
  t.true(body.data.some(({ projectid }: { projectid: string }) => projectid === id));
});

test('API keys accept nothing, and their invitations end with them', async (t) => {
  const tenantId = await w.tenant();
  const owner = await w.account({ tenantId, role: 'Owner' });
  const ann = await w.account({ tenantId });
  const { id } = await makeProject(w, owner);
  const made = (await w.as(owner).post('/api/iam/key', { name: 'inviter', role: 'Owner' })).body;
  t.truthy(made.key, JSON.stringify(made));
  const byKey = (url: string, body: object) => w.nobody.post(url, body, { 'svc-open-api-key': made.key });
  const { status, body } = await byKey(path(id), { loginId: ann.id, role: 'Reader' });
  t.is(status, 201, JSON.stringify(body));
  t.is((await byKey(`${OWN}/accept`, { id: body.id })).status, 403);
  t.is((await w.as(ann).get(OWN)).body.data.length, 1);
  await w.as(owner).delete(`/api/iam/key/${made.id}`);
  await refused(t, ann, { id: body.id }, 'revoked key');
});

test('invitations that were accepted, ended or expired a month ago are deleted', async (t) => {
  const { owner, id } = await people();
  const [old, young] = [await invite(t, owner, id, { email: EMAIL }), await invite(t, owner, id, { loginId: 'ann' })];
  await w.sql(`update project_invitations set expires_at = now() - interval '31 days' where id = $1`, [old]);
  await w.db.transaction(deleteOldInvitations);
  const left = (await w.as(owner).get(path(id))).body.data.map((one: { id: string }) => one.id);
  t.deepEqual(left, [young]);
});
