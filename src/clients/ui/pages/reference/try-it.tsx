import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { OpenApiDocument, Parameter } from '../../api/queries/reference.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy.tsx';
import field from '../../parts/field.module.css';
import { ProblemNotice } from '../../parts/problem.tsx';
import { Phase } from '../../parts/state.tsx';
import { announce } from '../../shell/announcer.tsx';
import { buildRequest, toCurl, toFieldName, toInitialValues } from './build-request.ts';
import { listParameters, type Entry } from './entries.ts';
import { sendRequest, type Answer } from './send-request.ts';
import styles from './reference.module.css';
import { useRefusal } from './use-refusal.ts';

/** Calls an operation with the session of the person who reads, and shows the command that does the same. */
export function TryIt({ entry, document }: { entry: Entry; document: OpenApiDocument }) {
  const { operation, method } = entry;
  const [values, setValues] = useState(() => toInitialValues(entry, document));
  const parameters = listParameters(operation, document).filter(({ name }) => !unsendable.has(name));
  const request = buildRequest(entry, document, values);
  const isJson = Object.keys(operation.requestBody?.content ?? {}).some((type) => type.includes('json'));
  const { mutate, isPending, data, error } = useMutation({
    mutationFn: async () => await sendRequest(request),
    onSuccess: ({ status }) => announce(`The response is ${status}.`),
  });
  const why = useRefusal(operation['x-role'], values.parameters['path org'] ?? '');
  const curl = toCurl(request, location.origin, operation['x-role']);
  const set = (name: string, value: string): void =>
    setValues({ ...values, parameters: { ...values.parameters, [name]: value } });
  const optional = parameters.filter(({ required }) => !required);
  const toInput = (parameter: Parameter) => (
    <Input
      key={toFieldName(parameter)}
      parameter={parameter}
      value={values.parameters[toFieldName(parameter)] ?? ''}
      onChange={(value) => set(toFieldName(parameter), value)}
    />
  );
  return (
    <aside className={styles['try']} aria-labelledby="try">
      <h2 id="try">Try it</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (why === undefined) mutate();
        }}
      >
        {parameters.filter(({ required }) => required).map(toInput)}
        {optional.length > 0 && (
          <details>
            <summary className="small">Optional parameters</summary>
            {optional.map(toInput)}
          </details>
        )}
        {isJson && (
          <label className={field['field']}>
            <span>Body</span>
            <textarea
              className="mono"
              data-secret
              rows={Math.min(16, values.body.split('\n').length + 1)}
              spellCheck={false}
              value={values.body}
              onChange={({ target }) => setValues({ ...values, body: target.value })}
            />
          </label>
        )}
        <p className="row wrap">
          <Button look="primary" type="submit" why={why} busy={isPending}>
            {isPending ? 'Sent…' : `Send ${method.toUpperCase()}`}
          </Button>
          <span className="small dim">
            {why ?? (method === 'get' ? 'As you, with your session.' : 'As you, with your session: it takes effect.')}
          </span>
        </p>
      </form>
      <div aria-live="polite">
        {error && <ProblemNotice error={error} />}
        {data && <Response answer={data} />}
      </div>
      <h3>The same with curl</h3>
      <pre role="group" className={styles['code']} tabIndex={0} aria-label="Command">
        {curl}
      </pre>
      <CopyButton text={curl} label="Copy the command" />
    </aside>
  );
}

/** Headers that a browser does not send, or that the reference sends itself. */
const unsendable = new Set(['Origin', 'Sec-Fetch-Site', 'Range', 'Accept-Encoding']);

function Input({
  parameter: { name, in: place, required = false, schema },
  value,
  onChange,
}: {
  parameter: Parameter;
  value: string;
  onChange: (value: string) => void;
}) {
  const id = useId();
  const label = (
    <label htmlFor={id}>
      <code>{name}</code> <span className="dim small">{required ? place : `${place}, optional`}</span>
    </label>
  );
  return (
    <div className={field['field']}>
      {label}
      {schema.enum ? (
        <select id={id} className={field['select']} value={value} onChange={({ target }) => onChange(target.value)}>
          <option value="">{required ? 'Choose' : 'Not sent'}</option>
          {schema.enum.map((one) => (
            <option key={String(one)}>{String(one)}</option>
          ))}
        </select>
      ) : (
        <input
          id={id}
          className={field['input']}
          autoComplete="off"
          required={required}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </div>
  );
}

const Response = ({ answer: { status, statusText, durationMs, headers, body } }: { answer: Answer }) => (
  <section aria-label="Response" className={styles['answer']}>
    <p className="row">
      <Phase phase={status < 400 ? 'Succeeded' : 'Failed'} words={`${status} ${statusText}`} />
      <span className="dim small push">{durationMs} ms</span>
    </p>
    <pre role="group" className={styles['code']} tabIndex={0} aria-label="Body of the response">
      {body === '' ? 'The response has no body.' : body}
    </pre>
    <details>
      <summary className="small">Headers</summary>
      <pre className={styles['code']}>{headers.map(([name, value]) => `${name}: ${value}`).join('\n')}</pre>
    </details>
  </section>
);
