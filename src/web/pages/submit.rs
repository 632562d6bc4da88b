//! `/problems/{slug}/submit`: paste or upload a program. A refused form comes back as it was, with the reason. Must
//! not know: how a submission is stored or judged.
