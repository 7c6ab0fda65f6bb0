import { z } from '@hono/zod-openapi';
import { IncidentKind, IncidentSpec, noteLengthMax } from '../../src/rules/incidents/kinds.ts';
import { NameLabel, titleText, trimmedText } from '../../src/rules/names.ts';
import { viewSchema } from '../http/views.ts';

export const IncidentView = viewSchema(IncidentKind).openapi('Incident');

const text = trimmedText(noteLengthMax);
const isPublic = z
  .boolean()
  .default(false)
  .openapi({ description: 'Show the text on the status page, without who wrote it.' });

export const NewIncidentBody = z.strictObject({
  product: NameLabel.describe('Product that the incident affects.'),
  zone: NameLabel.optional().describe('Zone that the incident affects; absent if it does not affect a single zone.'),
  severity: IncidentSpec.shape.severity,
  title: titleText(200).describe('What is wrong, in a few words.'),
  text: text.optional().describe('What is wrong, in detail.'),
});
export type NewIncident = z.infer<typeof NewIncidentBody>;

export const IncidentResolutionBody = z.strictObject({
  text: text.describe('What fixed the incident.'),
  public: isPublic,
});
export const IncidentNoteBody = z.strictObject({ text: text.describe('The note.'), public: isPublic });
