/** A text with `code` and paragraphs, which is all the Markdown that descriptions use. */
export const Prose = ({ text }: { text: string }) => (
  <>
    {text.split('\n\n').map((paragraph) => (
      <p key={paragraph}>
        <Inline text={paragraph} />
      </p>
    ))}
  </>
);

export const Inline = ({ text }: { text: string }) => (
  <>
    {text
      .split(/`([^`]+)`/)
      .map((part, index) => (index % 2 === 1 ? <code key={`${index} ${part}`}>{part}</code> : part))}
  </>
);
