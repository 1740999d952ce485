// What the doctor found: causes, what shows them, what helps.
import {h, fill, panel, button} from '../dom.js';
import {get, may, post} from '../api.js';
import {state, troubles, when} from '../show.js';
import {trying} from '../act.js';

const WEIGHT = ['FAIL', 'WARN', 'CRASHED', 'SKIPPED', 'INFO', 'OK'];

export async function doctor(place) {
  const list = h('div', {});
  const draw = report => fill(list, verdict(report), h('p', {class: 'soft'}, 'Examined ', when(report.at), '. All who look within a minute see the same examination.'),
    [...report.findings].sort((one, other) => WEIGHT.indexOf(one.status) - WEIGHT.indexOf(other.status)).map(finding));
  fill(place, h('div', {class: 'head'}, h('h1', {}, 'Doctor'), may('OPERATOR') && button('Examine now', async event => {
    event.target.disabled = true;
    const report = await trying(() => post('doctor', {}));
    event.target.disabled = false;
    if (report) draw(report);
  })), list);
  draw(await get('doctor'));
}

function verdict(report) {
  const bad = troubles(report).length;
  return h('p', {class: bad ? 'warn' : 'good'}, `${report.findings.length} checks: ${bad ? `${bad} found something, or could not look` : 'none found anything that holds up jobs'}.`);
}

const finding = one => h('details', {class: 'panel', open: one.status === 'FAIL' || one.status === 'WARN'},
  h('summary', {data: {row: ''}}, state(one.status), ' ', h('strong', {}, one.code), ' ', one.cause),
  one.remedy && h('p', {}, one.remedy),
  one.remedySql && [h('p', {class: one.destructive ? 'error small' : 'soft small'}, one.destructive ? 'This ends or removes something that somebody may still need:' : 'By SQL:'), h('pre', {tabindex: '0'}, one.remedySql)],
  one.evidence.length > 0 && [h('p', {class: 'soft small'}, 'What it has seen:'), h('pre', {tabindex: '0'}, one.evidence.join('\n'))],
  one.evidenceSql && h('details', {class: 'small'}, h('summary', {}, 'Its statement'), h('pre', {tabindex: '0'}, one.evidenceSql)));
