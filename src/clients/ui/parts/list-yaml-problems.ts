import { type Alias, type Document, visit } from 'yaml';

/** A fault of a text, and the offset of the character where it is. */
export type YamlProblem = { detail: string; at: number };

/** Lists why a document cannot be read. An alias without its anchor is no error of its syntax. */
export function listYamlProblems(document: Document.Parsed): YamlProblem[] {
  if (document.errors.length > 0)
    return document.errors.map(({ message, pos }) => ({ detail: message.split('\n')[0] ?? '', at: pos[0] }));
  const aliases: YamlProblem[] = [];
  visit(document, {
    Alias: (_, alias) => {
      if (!alias.resolve(document)) aliases.push({ detail: describe(alias), at: alias.range?.[0] ?? 0 });
    },
  });
  return aliases.length > 0 ? aliases : listConversionProblems(document);
}

const describe = ({ source }: Alias): string =>
  `*${source} is an alias in YAML, and no anchor has that name. Quote it to mean the text.`;

/** The parser refuses aliases that would make a short text a huge value. */
function listConversionProblems(document: Document.Parsed): YamlProblem[] {
  try {
    document.toJS();
    return [];
  } catch (error) {
    return [{ detail: error instanceof Error ? error.message : String(error), at: 0 }];
  }
}
