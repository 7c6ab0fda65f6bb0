import { expect, it } from 'vitest';
import { judgeZoneState } from '../../../src/rules/status-page/judge-zone-state.ts';

const usual = { isReleased: true, severities: [], objectives: [] };

it.each([
  ['nothing is wrong', {}, 'operational'],
  ['a critical incident is open', { severities: ['info', 'warning', 'critical'] }, 'down'],
  ['a warning is open', { severities: ['warning'] }, 'degraded'],
  ['only a notice is open', { severities: ['info'] }, 'operational'],
  ['an SLO burns its budget', { objectives: ['meeting', 'burning'] }, 'degraded'],
  ['an SLO burns during an outage', { severities: ['critical'], objectives: ['burning'] }, 'down'],
  ['a budget is spent and nothing burns', { objectives: ['spent', 'no-traffic', 'unknown'] }, 'operational'],
  ['no Release runs', { isReleased: false }, 'not-released'],
  ['no Release runs, but a warning is open', { isReleased: false, severities: ['warning'] }, 'degraded'],
] as const)('judges a zone when %s', (_, given, expected) => {
  expect(judgeZoneState({ ...usual, ...given })).toBe(expected);
});
