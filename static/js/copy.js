// Copy buttons: shown only where copying works.
if (navigator.clipboard) {
  for (const button of document.querySelectorAll('button[data-copy]')) {
    const word = button.textContent;
    button.hidden = false;
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.textContent = button.dataset.copied;
      setTimeout(() => { button.textContent = word; }, 1500);
    });
  }
}
