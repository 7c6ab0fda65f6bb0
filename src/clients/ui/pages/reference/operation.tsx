import type { OpenApiDocument, Operation, Parameter } from '../../api/queries/reference.ts';
import { useHeading } from '../../parts/page.tsx';
import { listParameters, toLimits, type Entry } from './entries.ts';
import { Inline, Prose } from './prose.tsx';
import { SchemaTree, TypeName } from './schema.tsx';
import { TryIt } from './try-it.tsx';
import styles from './reference.module.css';

/** An operation: what it does, what it takes and answers, and a form to call it. */
export function OperationView({ entry, document }: { entry: Entry; document: OpenApiDocument }) {
  const { method, path, operation } = entry;
  const heading = useHeading(`${operation.summary} · API reference`);
  const parameters = listParameters(operation, document);
  return (
    <article>
      <p className="dim small">{operation.tags[0]}</p>
      <h1 ref={heading} tabIndex={-1}>
        {operation.summary}
      </h1>
      <p className={styles['path']}>
        <code>
          <span className={styles['method']}>{method}</span> {path}
        </code>
        {operation['x-role'] !== undefined && <span className={styles['role']}>{operation['x-role']}</span>}
      </p>
      {operation.description !== undefined && <Prose text={operation.description} />}
      <div className={styles['two']}>
        <div>
          {parameters.length > 0 && <Parameters list={parameters} />}
          {operation.requestBody && <Body content={operation.requestBody} document={document} />}
          <Responses responses={operation.responses} document={document} />
        </div>
        <TryIt entry={entry} document={document} />
      </div>
    </article>
  );
}

const Parameters = ({ list }: { list: Parameter[] }) => (
  <section aria-labelledby="parameters">
    <h2 id="parameters">Parameters</h2>
    <dl className={styles['fields']}>
      {list.map(({ name, in: place, required, schema, description = '' }) => {
        const limits = toLimits(schema);
        return (
          <div key={`${place} ${name}`}>
            <dt>
              <code>{name}</code> <TypeName schema={schema} />
              <span className="dim small">
                {' '}
                {place}
                {!required && ', optional'}
              </span>
            </dt>
            <dd>
              <Inline text={description} />
              {limits !== '' && <span className="dim small"> {limits}</span>}
            </dd>
          </div>
        );
      })}
    </dl>
  </section>
);

const Body = ({
  content: { required = false, content },
  document,
}: {
  content: NonNullable<Operation['requestBody']>;
  document: OpenApiDocument;
}) => (
  <section aria-labelledby="body">
    <h2 id="body">Body{!required && <span className="dim small"> optional</span>}</h2>
    {Object.entries(content).map(([type, { schema }]) => (
      <div key={type}>
        <p className="dim small">
          <code>{type}</code>
        </p>
        {schema && <SchemaTree schema={schema} document={document} />}
      </div>
    ))}
  </section>
);

const Responses = ({ responses, document }: { responses: Operation['responses']; document: OpenApiDocument }) => (
  <section aria-labelledby="responses">
    <h2 id="responses">Responses</h2>
    <ul className={styles['responses']}>
      {Object.entries(responses).map(([status, { description, content = {} }]) => {
        const own = Object.entries(content).filter(([type]) => type !== 'application/problem+json');
        return (
          <li key={status} data-state={status.startsWith('2') ? 'done' : undefined}>
            <p>
              <b>{status}</b>{' '}
              {own.length === 0 && !status.startsWith('2') ? (
                <a href="/api/docs/problems">
                  <Inline text={description} />
                </a>
              ) : (
                <Inline text={description} />
              )}
            </p>
            {own.map(([type, { schema, example }]) => (
              <div key={type}>
                <p className="small dim">
                  <code>{type}</code> {schema && <TypeName schema={schema} />}
                </p>
                {schema && (
                  <details>
                    <summary className="small">Fields</summary>
                    <SchemaTree schema={schema} document={document} />
                  </details>
                )}
                {example !== undefined && (
                  <details>
                    <summary className="small">Example</summary>
                    <pre role="group" className={styles['code']} tabIndex={0} aria-label="Example">
                      {JSON.stringify(example, undefined, 2)}
                    </pre>
                  </details>
                )}
              </div>
            ))}
          </li>
        );
      })}
    </ul>
  </section>
);
