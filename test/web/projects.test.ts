import test from 'ava';
import { consoleTests, expectAccessible, picture } from '../world/console.ts';
import { newTiles } from '../world/tiles.ts';
import { PASSWORD, type User, world } from '../world.ts';

const w = world(test);
const pages = consoleTests(test, w);

async function newOwner(): Promise<User> {
  return w.account({ tenantId: await w.tenant('River authority'), role: 'Owner' });
}

async function newProject(owner: User, name: string, parentId?: string): Promise<string> {
  const url = parentId === undefined ? '/api/metadata/project' : `/api/metadata/project/${parentId}/subproject`;
  const { status, body } = await w.as(owner).post(url, { name, description: `About ${name}` });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id;
}

pages.test('a person signs in, and is told what to do first', async (t) => {
  const ann = await newOwner();
  const page = await pages.open('/');
  await page.see('heading', 'Sign in');
  await expectAccessible(t, page);
  await picture(page, 'sign-in');
  await page.fill('Login id', ann.id);
  await page.fill('Password', 'wrong');
  await page.click('button', 'Sign in');
  await page.see('alert', /./);
  await page.fill('Password', PASSWORD);
  await page.click('button', 'Sign in');
  await page.see('heading', 'No projects yet');
  t.is(await page.tab.evaluate('document.title'), 'Projects · Data platform');
  await expectAccessible(t, page);
  await picture(page, 'projects-empty');

  await page.click('button', 'New project');
  await page.fill('Name', 'Sound and belts');
  await picture(page, 'new-project');
  await page.click('button', 'Create');
  await page.see('heading', 'Sound and belts');
  await page.see('heading', 'Nothing in this project yet');
  t.is(await page.focused(), 'Sound and belts', 'the heading has the focus after a navigation');
  await expectAccessible(t, page);
  await picture(page, 'project-empty');

  await page.click('button', 'New folder');
  await page.fill('Name', 'Storms');
  await page.click('button', 'Create');
  await page.see('heading', 'Storms');
  await page.click('link', 'Sound and belts');
  await page.see('table', 'Contents');
  await page.click('button', 'Actions for Storms');
  await page.click('menuitem', 'Delete');
  await page.see('button', 'Restore');
  await page.gone('table', 'Contents');
  await page.click('button', 'Restore');
  await page.see('table', 'Contents');
  await page.tab.close();
});

pages.test('the contents of a project: pictures of 1280 and 360 px, changes by others, filter, order', async (t) => {
  const owner = await newOwner();
  const id = await newProject(owner, 'Sound and belts');
  await newProject(owner, 'Bathymetry', id);
  const storms = await newProject(owner, 'Storms', id);
  for (const name of ['Terrain 10 m', 'Flood depth, 100 years']) await newTiles(w, id, owner, name);
  await newProject(owner, 'Upper valley');
  const page = await pages.openAs(owner);
  await page.see('link', 'Upper valley');
  await expectAccessible(t, page);
  await picture(page, 'projects');
  await page.click('link', 'Sound and belts');
  await page.see('link', 'Terrain 10 m');
  await expectAccessible(t, page);
  await picture(page, 'project');

  await page.fill(/^Filter 4/, 'terrain');
  await page.gone('link', 'Flood depth, 100 years');
  t.regex(await page.address(), /#q=terrain$/);
  await page.fill(/^Filter 4/, '');

  // what another person does appears by itself
  await w.as(owner).post(`/api/metadata/project/${id}/subproject`, { name: 'Gauges' });
  await page.see('link', 'Gauges');
  await page.click('button', 'Actions for Terrain 10 m');
  await page.click('menuitem', 'Move');
  await page.see('dialog', 'Move Terrain 10 m');
  await page.click('button', 'Sound and belts');
  await page.see('radio', 'Storms');
  await picture(page, 'move');
  await page.click('radio', 'Storms');
  await page.click('button', 'Move here');
  await page.gone('link', 'Terrain 10 m');
  const { body } = await w.as(owner).get(`/api/metadata/project/${storms}/dataset/list`);
  t.is(body.data[0].name, 'Terrain 10 m');

  // dragged by its link onto a folder of the tree
  await page.tab.evaluate(`(() => {
    const dataTransfer = new DataTransfer();
    const tell = (one, type) => one.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
    tell([...document.querySelectorAll('main a')].find(({ textContent }) => textContent === 'Flood depth, 100 years'), 'dragstart');
    const folder = document.querySelector('nav [data-node="${storms}"]');
    tell(folder, 'dragover');
    tell(folder, 'drop');
  })()`);
  await page.gone('link', 'Flood depth, 100 years');
  const moved = (await w.as(owner).get(`/api/metadata/project/${storms}/dataset/list`)).body.data;
  t.is(moved.length, 2);
  t.deepEqual(page.tab.complaints, []);
  await page.tab.close();
});

pages.test('by keyboard alone: a project is made, deleted and restored, and the focus is never lost', async (t) => {
  const page = await pages.openAs(await newOwner());
  const tabTo = async (name: string) => {
    for (let n = 0; n < 60 && (await page.focused()) !== name; n++) await page.key('Tab', 9);
    t.is(await page.focused(), name);
    const outline = 'getComputedStyle(document.activeElement).outlineStyle';
    t.is(await page.tab.evaluate(outline), 'solid', `the focus on ${name} is seen`);
  };
  await page.see('heading', 'No projects yet');
  await tabTo('Skip to content');
  await page.key('Enter', 13);
  await tabTo('New project');
  await page.key('Enter', 13);
  await page.see('dialog', 'New project');
  t.is(await page.focused(), 'Name');
  await page.fill('Name', 'Storms');
  await page.key('Enter', 13);
  await page.see('heading', 'Storms');
  t.is(await page.focused(), 'Storms');
  await tabTo('Actions for Storms');
  await page.key('ArrowDown', 40);
  await page.see('menuitem', 'Rename');
  t.is(await page.focused(), 'Rename');
  await page.key('Escape', 27);
  t.is(await page.focused(), 'Actions for Storms');
  await page.key('Enter', 13);
  await page.see('menuitem', 'Delete');
  await page.key('End', 35);
  await page.key('Enter', 13);
  await page.see('heading', 'Projects');
  await page.tab.until("document.activeElement.tagName === 'H1'", 'the heading has the focus');
  await page.go('/bin');
  await page.see('button', 'Restore Storms');
  await tabTo('Restore Storms');
  await page.key('Enter', 13);
  await page.gone('button', 'Restore Storms');
  t.is(await page.focused(), 'Recycle bin', 'its row is gone');
  await page.go('/projects/00000000-0000-4000-8000-000000000000');
  await page.tab.until("document.activeElement.tagName === 'H1'", 'the heading of a page that is not there');
  await expectAccessible(t, page);
  await page.tab.close();
});
