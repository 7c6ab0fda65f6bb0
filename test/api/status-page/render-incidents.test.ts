import { describe, expect, it } from 'vitest';
import { renderIncidents } from '../../../api/status-page/render-incidents.ts';
import type { PublicIncident } from '../../../src/rules/status-page/to-public-incident.ts';

const openedAt = '2026-11-24T12:00:00.000Z';
const toIncident = (changes: Partial<PublicIncident> = {}): PublicIncident => ({
  title: 'Tickets are slow',
  impact: 'degraded',
  zones: ['shop-prod'],
  openedAt,
  updates: [],
  ...changes,
});
const update = (text: string) => ({ at: openedAt, text });

async function render(...incidents: PublicIncident[]) {
  const { open, past } = renderIncidents(incidents);
  const toText = async (part: unknown): Promise<string> => String(await part).replaceAll(/\s+/g, ' ');
  return { open: open === false ? '' : await toText(open), past: await toText(past) };
}
const cut = 'Some earlier or longer updates are not shown here.';

describe('renderIncidents', () => {
  it('shows what is open apart from what was resolved', async () => {
    const { open, past } = await render(
      toIncident({ title: 'Now' }),
      toIncident({ title: 'Before', resolvedAt: '2026-11-24T14:04:00.000Z' }),
    );
    expect(open).toContain('<h3 dir="auto">Now</h3>');
    expect(open).toContain('class="open degraded"');
    expect(open).toContain('shop-prod, since');
    expect(open).not.toContain('Before');
    expect(past).toContain('<h3 dir="auto">Before</h3>');
    expect(past).toContain('shop-prod, 2 h 4 min, resolved');
    expect(past).not.toContain('Now');
    expect(past).not.toContain('No other incidents.');
    expect(past).not.toContain(cut);
  });

  it('says that there is none', async () => {
    const { open, past } = await render();
    expect(open).toBe('');
    expect(past).toContain('No other incidents.');
    expect(past).not.toContain('<li');
    expect(past).not.toContain(cut);
  });

  it('names all zones when an incident names none', async () => {
    const { open, past } = await render(
      toIncident({ zones: [] }),
      toIncident({ zones: [], resolvedAt: '2026-11-24T12:30:00.000Z' }),
    );
    expect(open).toContain('All zones, since');
    expect(past).toContain('All zones, 30 min, resolved');
    expect((await render(toIncident({ zones: ['a', 'b'] }))).open).toContain('a, b, since');
  });

  it.each([
    ['2026-11-24T12:00:00.000Z', '1 min'],
    ['2026-11-24T12:01:29.000Z', '1 min'],
    ['2026-11-24T12:01:31.000Z', '2 min'],
    ['2026-11-24T12:59:00.000Z', '59 min'],
    ['2026-11-24T13:00:00.000Z', '1 h 0 min'],
    ['2026-11-26T12:05:00.000Z', '48 h 5 min'],
  ])('describes how long an incident took: until %s', async (resolvedAt, duration) => {
    expect((await render(toIncident({ resolvedAt }))).past).toContain(`shop-prod, ${duration}, resolved`);
  });

  it('shortens a long note, and says so', async () => {
    const exact = await render(toIncident({ updates: [update('x'.repeat(1_000))] }));
    expect(exact.open).toContain(`>${'x'.repeat(1_000)}<`);
    expect(exact.past).not.toContain(cut);
    const longer = await render(toIncident({ updates: [update(`${'x'.repeat(1_000)}y`), update('short')] }));
    expect(longer.open).toContain(`>${'x'.repeat(1_000)}…<`);
    expect(longer.open).toContain('>short<');
    expect(longer.past).toContain(cut);
  });

  it('shows the newest updates of an incident until the page has enough text', async () => {
    const notes = Array.from({ length: 8 }, (_, index) => `${index}${'x'.repeat(959)}`);
    const { open, past } = await render(toIncident({ title: '', updates: notes.map(update) }));
    // 7000 bytes hold the incident (300) and six notes of 960 and 50 each.
    expect(notes.map((note) => open.includes(note))).toEqual([true, true, true, true, true, true, false, false]);
    expect(past).toContain(cut);
    const six = await render(toIncident({ title: '', updates: notes.slice(0, 6).map(update) }));
    expect(six.past).not.toContain(cut);
  });

  it('fills the page to the last byte, which also counts letters of several bytes', async () => {
    const fill = async (text: string) => {
      const notes = [...Array.from({ length: 6 }, () => 'x'.repeat(950)), text];
      return (await render(toIncident({ title: '', updates: notes.map(update) }))).open.includes(`>${text}<`);
    };
    expect(await fill('y'.repeat(650))).toBe(true);
    expect(await fill('y'.repeat(651))).toBe(false);
    expect(await fill('é'.repeat(325))).toBe(true);
    expect(await fill('é'.repeat(326))).toBe(false);
  });

  it('leaves out incidents without room for one update, and shows one that has none', async () => {
    const full = toIncident({ title: 'Full', updates: Array.from({ length: 6 }, () => update('x'.repeat(1_000))) });
    const next = toIncident({ title: 'Next', updates: [update('a note')] });
    const long = toIncident({ title: 'Long', updates: [update('x'.repeat(400))] });
    const { open } = await render(full, next);
    expect(open).toContain('Next');
    const without = await render(full, long, toIncident({ title: 'Last' }));
    expect(without.open).not.toContain('Long');
    expect(without.open).not.toContain('Last');
    expect(without.past).toContain(cut);
    const many = Array.from({ length: 24 }, (_, index) => toIncident({ title: `T${index}-` }));
    const { open: shown, past } = await render(...many);
    expect(shown).toContain('T22-');
    expect(shown).not.toContain('T23-');
    expect(past).toContain(cut);
  });
});
