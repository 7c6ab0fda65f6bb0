type Schema = {
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  allOf?: Schema[];
  anyOf?: Schema[];
  oneOf?: Schema[];
};
type Operation = { operationId: string; requestBody?: { content: Record<string, { schema: Schema }> } };
export type OpenApi = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
};

/** Versions that a page sends with what was typed. */
const version = /^\/(generation|resourceVersion)$/;

/** Lists the places in the JSON body of each operation that has one: its values, and its lists with one item. */
export const listPointers = ({ paths, components }: OpenApi): Map<string, string[]> => {
  const walk = (schema: Schema, pointer: string): string[] => {
    if (schema.$ref !== undefined) return walk(components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, pointer);
    const parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
    const properties = Object.entries(schema.properties ?? {});
    const inner = [
      ...parts.flatMap((part) => walk(part, pointer)),
      ...(schema.items ? [pointer, ...walk(schema.items, `${pointer}/0`)] : []),
      ...properties.flatMap(([name, part]) => walk(part, `${pointer}/${name}`)),
    ];
    return inner.length > 0 ? inner : [pointer];
  };
  return new Map(
    Object.values(paths)
      .flatMap((item) => Object.values(item))
      .flatMap(({ operationId, requestBody }): [string, string[]][] => {
        const schema = requestBody?.content['application/json']?.schema;
        if (!schema) return [];
        return [[operationId, [...new Set(walk(schema, ''))].filter((pointer) => !version.test(pointer))]];
      }),
  );
};
