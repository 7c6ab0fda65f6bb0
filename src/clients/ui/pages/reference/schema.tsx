import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { OpenApiDocument, Schema } from '../../api/queries/reference.ts';
import { refName, toLimits, toTypeText } from './entries.ts';
import { Inline } from './prose.tsx';
import styles from './reference.module.css';

/** The fields of a schema. Those of the schemas in it open on demand, because schemas may contain themselves. */
export function SchemaTree({ schema, document }: { schema: Schema; document: OpenApiDocument }) {
  const name = refName(schema);
  const { schemas } = document.components;
  const found = name === undefined ? schema : (schemas[name] ?? {});
  const choices = found.anyOf ?? found.oneOf ?? found.allOf;
  const inner =
    found.items ?? (typeof found.additionalProperties === 'object' ? found.additionalProperties : undefined);
  if (!found.properties && choices)
    return (
      <ul className={styles['choices']}>
        {choices.map((choice) => (
          <li key={JSON.stringify(choice)}>
            {found.allOf ? 'with' : 'either'} <TypeName schema={choice} />
            <SchemaTree schema={choice} document={document} />
          </li>
        ))}
      </ul>
    );
  if (!found.properties && inner) return <SchemaTree schema={inner} document={document} />;
  if (!found.properties) return null;
  return (
    <dl className={styles['fields']}>
      {Object.entries(found.properties).map(([key, property]) => (
        <FieldRow
          key={key}
          name={key}
          schema={property}
          isRequired={found.required?.includes(key) ?? false}
          document={document}
        />
      ))}
    </dl>
  );
}

function FieldRow({
  name,
  schema,
  isRequired,
  document,
}: {
  name: string;
  schema: Schema;
  isRequired: boolean;
  document: OpenApiDocument;
}) {
  const [isOpen, setOpen] = useState(false);
  const limits = toLimits(schema);
  return (
    <>
      <dt>
        <code>{name}</code> <TypeName schema={schema} />
        {!isRequired && <span className="dim small"> optional</span>}
      </dt>
      <dd>
        {schema.description !== undefined && <Inline text={schema.description} />}
        {limits !== '' && <span className="dim small"> {limits}</span>}
        {hasFields(schema) && (
          <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
            <summary className="small">Fields of {name}</summary>
            {isOpen && <SchemaTree schema={schema} document={document} />}
          </details>
        )}
      </dd>
    </>
  );
}

const hasFields = (schema: Schema): boolean =>
  schema.$ref !== undefined ||
  schema.properties !== undefined ||
  (schema.items !== undefined && hasFields(schema.items)) ||
  (typeof schema.additionalProperties === 'object' && hasFields(schema.additionalProperties)) ||
  [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].some(hasFields);

/** The type of a value; a schema with a name leads to its own page. */
export function TypeName({ schema }: { schema: Schema }) {
  const name = refName(schema) ?? (schema.items && refName(schema.items));
  const text = toTypeText(schema);
  if (name === undefined) return <span className={styles['type']}>{text}</span>;
  return (
    <Link className={styles['type']} to="/api/docs" search={(previous) => previous} hash={`schema-${name}`}>
      {text}
    </Link>
  );
}
