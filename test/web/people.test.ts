import test from 'ava';
import { consoleTests, expectAccessible, picture } from '../world/console.ts';
import { world } from '../world.ts';

const w = world(test);
const pages = consoleTests(test, w);

pages.test('an Owner invites somebody, who becomes a member; roles are explained, changed and removed', async (t) => {
  const tenantId = await w.tenant('River authority');
  const [ann, ben, eve] = [
    await w.account({ tenantId, role: 'Owner' }),
    await w.account({ tenantId }),
    await w.account({ tenantId }),
  ];
  const { body: project } = await w.as(ann).post('/api/metadata/project', { name: 'Sound and belts' });
  const role = async (userId: string) =>
    (await w.as(ann).get(`/api/metadata/project/${project.id}/member`)).body.data.find(
      (one: { userId: string }) => one.userId === userId,
    )?.role;
  await w.as(ann).post(`/api/metadata/project/${project.id}/member`, { userId: eve.userId, role: 'Reader' });
  const page = await pages.openAs(ann, `/projects/${project.id}/members`, 1280);
  await page.see('table', 'Members');
  await page.click('button', 'Invite');
  await page.fill('Mail address or login id', ben.id);
  await page.choose('Role', 'Contributor');
  await expectAccessible(t, page);
  await picture(page, 'invite');
  await page.click('button', 'Invite');
  await page.see('table', 'Open invitations');
  await expectAccessible(t, page);
  await picture(page, 'members');
  const { body: invitations } = await w.as(ben).get('/api/iam/invitation');
  t.is(invitations.data.length, 1);
  const [{ id }] = invitations.data;
  t.is((await w.as(ben).post('/api/iam/invitation/accept', { id })).status, 200);
  // told by an event
  await page.see('button', `Actions for ${ben.id}`);
  await page.gone('table', 'Open invitations');

  await page.click('button', `Actions for ${eve.id}`);
  await page.click('menuitem', 'Why');
  await page.text('Member of the project: Reader');
  await expectAccessible(t, page);
  await picture(page, 'why');
  await page.click('button', 'Close');
  await page.click('button', `Actions for ${eve.id}`);
  await page.click('menuitemradio', 'Contributor');
  await page.text(`${eve.id} is Contributor now.`);
  t.is(await role(eve.userId), 'Contributor');
  await page.click('button', `Actions for ${eve.id}`);
  await page.click('menuitem', 'Remove');
  await page.click('button', 'Remove');
  await page.gone('button', `Actions for ${eve.id}`);
  t.is(await role(eve.userId), undefined);
  await page.tab.close();
});

pages.test(
  'settings keep what is typed when somebody else changes the project; activity and search show it',
  async (t) => {
    const tenantId = await w.tenant('Valley authority');
    const ann = await w.account({ tenantId, role: 'Owner' });
    const { body: project } = await w.as(ann).post('/api/metadata/project', { name: 'Upper valley' });
    const page = await pages.openAs(ann, `/projects/${project.id}/settings`, 1280);
    await page.fill('Description', 'Typed here');
    const { id, metadata, settings } = project;
    const theirs = { name: 'Lower valley', description: 'Theirs' };
    await w.as(ann).put('/api/metadata/project', { id, metadata, settings, ...theirs });
    await page.see('heading', 'Lower valley');
    await page.text('Somebody else changed this while you were typing');
    await page.click('button', 'Save');
    await page.see('radio', 'Theirs Theirs');
    await picture(page, 'settings-conflict');
    await expectAccessible(t, page);
    await page.click('button', 'Save');
    await page.text('The project is saved.');
    const saved = { name: 'Lower valley', description: 'Typed here' };
    t.like((await w.as(ann).get(`/api/metadata/project/${id}`)).body, saved);

    await page.click('link', 'Activity');
    await page.see('table', 'Activity');
    await expectAccessible(t, page);
    await picture(page, 'activity');

    await page.key('/');
    await page.fill('Search', 'low');
    await page.tab.evaluate(`document.querySelector('header form').requestSubmit()`);
    await page.see('heading', 'Search');
    await page.see('link', 'Lower valley');
    t.is(await page.address(), '/search?q=low');
    await expectAccessible(t, page);
    await picture(page, 'search');
    await page.fill(/^Words that/, 'nothing of this name');
    await page.text('Only what you may see is found.');
    await picture(page, 'search-none');
    await page.tab.close();
  },
);
